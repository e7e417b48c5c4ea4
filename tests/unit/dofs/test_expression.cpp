#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dofs/expression.hpp"

namespace limber::dofs {
namespace {

const double t = 0.3;
const double X[3] = {1.5, -2.0, 0.25};

double value(const std::string& text) { return Expression::parse(text)(t, X); }

std::string error_of(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const base::UserError& error) {
    return error.message();
  }
  return {};
}

TEST(Expression, Values) {
  EXPECT_EQ(value("t"), t);
  EXPECT_EQ(value("x"), 1.5);
  EXPECT_EQ(value("y"), -2.0);
  EXPECT_EQ(value("z"), 0.25);
  EXPECT_EQ(value("x + 2*y - z/4"), 1.5 - 4.0 - 0.0625);
  EXPECT_EQ(value("x^2"), 2.25);
  EXPECT_EQ(value(" 1.5e+3 "), 1500.0);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("x > 1 ? 7 : 8"), 7.0);
  EXPECT_EQ(value("x > 1 && y > 0"), 0.0);
  EXPECT_EQ(value("x >= 1.5"), 1.0);
  EXPECT_EQ(value("x != 1.5 || x == 1.5"), 1.0);
  EXPECT_EQ(value("min(t, 1)"), t);
  // The same functions of the same arguments, but for the compiler's choice of function: a few roundings.
  EXPECT_NEAR(value("sin(2*pi*t)"), std::sin(2.0 * 3.14159265358979323846 * t), 1e-15);
  EXPECT_NEAR(value("log(e)"), 1.0, 1e-15);
  EXPECT_NEAR(value("exp(-x)"), std::exp(-1.5), 1e-15);
}

TEST(Expression, StepIsOneFromZeroOn) {
  EXPECT_EQ(value("step(-1e-300)"), 0.0);
  EXPECT_EQ(value("step(0)"), 1.0);
  EXPECT_EQ(value("step(t - 0.2)"), 1.0);
  EXPECT_EQ(value("step(t - 0.4)"), 0.0);
}

TEST(Expression, KnowsWhatItDependsOn) {
  struct Case {
    const char* text;
    bool constant, time;
  };
  for (const auto& [text, constant, time] :
       {Case{"2*pi", true, false}, Case{"1e5", true, false}, Case{"0*t", false, true}, Case{"x + y", false, false},
        Case{"z*sin(t)", false, true}, Case{"exp(1)", true, false}}) {
    const auto expression = Expression::parse(text);
    EXPECT_EQ(expression.is_constant(), constant) << text;
    EXPECT_EQ(expression.depends_on_time(), time) << text;
    EXPECT_EQ(expression.text(), text);
  }
}

TEST(Expression, NumbersAreExpressions) {
  const Expression zero, number = 0.1;
  EXPECT_EQ(zero(t, X), 0.0);
  EXPECT_EQ(number(t, X), 0.1);
  EXPECT_TRUE(number.is_constant());
  EXPECT_FALSE(number.depends_on_time());
  EXPECT_EQ(number.text(), "0.1");
  for (const double x : {-1e-300, 123456789.125, 1.0 / 3.0, 1e22})
    EXPECT_EQ(value(Expression(x).text()), x) << Expression(x).text();
}

TEST(Expression, CopiesOutliveAndDoNotDisturbEachOther) {
  const double other[3] = {7.0, 0.0, 0.0};
  ExpressionVector copies;
  {
    const auto original = Expression::parse("x*t");
    copies = {original, Expression::parse("x"), original};
  }
  EXPECT_EQ(copies[0](2.0, X), 3.0);
  EXPECT_EQ(copies[2](1.0, other), 7.0);
  EXPECT_EQ(copies[1](0.0, other), 7.0);
  EXPECT_EQ(copies[0](2.0, X), 3.0);
  copies[0] = 5.0;
  EXPECT_EQ(copies[0](2.0, X), 5.0);
  EXPECT_TRUE(copies[0].is_constant());
  EXPECT_EQ(copies[2](2.0, X), 3.0);
}

TEST(Expression, InfinityAndNanAreTheCallersBusiness) {
  const double origin[3] = {};
  EXPECT_EQ(Expression::parse("1/x")(0.0, origin), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("1/0"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(Expression::parse("x/x")(0.0, origin)));
  EXPECT_TRUE(std::isnan(value("sqrt(y)")));
}

struct Bad {
  std::string text, part;
};

TEST(Expression, BadOnesSayWhatIsWrongAndWhere) {
  const std::vector<Bad> table{
      {"sin(u)", "unknown name 'u' at character 5"},
      {"foo(t)", "unknown name 'foo' at character 1"},
      {"2*X", "unknown name 'X' at character 3"},
      {"t and x", "unknown name 'and' at character 3"},
      {"nan", "unknown name 'nan'"},
      {"", "it is empty"},
      {"  ", "it is empty"},
      {"2*", "it ends too early"},
      {"sin(t", "a ')' is missing"},
      {"sin(t))", "unexpected ')' at character 7"},
      {"sin t", "the function 'sin' without '(' and ')' at character 1"},
      {"2x", "unexpected 'x'; is an operator missing before it at character 2"},
      {"x 3", "unexpected '3'"},
      {"0x10", "unknown name 'x10'"},
      {"2e", "'2e' is not a number"},
      {"1e999", "'1e999' is not a number"},
      {"sin(t, x)", "too many arguments for 'sin'"},
      {"atan2(t)", "too few arguments for 'atan2'"},
      {"0,5*t", "decimals are written with '.'"},
      {"1,5", "decimals are written with '.'"},
      {"(1,5)", "a ',' outside of a function's arguments"},
      {"x = 3", "a single '=' at character 3; '==' compares"},
      {"t > 0 ? 1", "a '?' without its ':'"},
      {"x : 2", "a ':' without its '?'"},
      {"t % 2", "unexpected '% 2' at character 3"},
      {"\"t\"", "'\"t\"'"},
      {"t + µ", "unexpected 'µ' at character 5"},
      {"x*µ + u", "unexpected 'µ + u' at character 3"},
  };
  for (const auto& bad : table) {
    const auto message = error_of(bad.text);
    EXPECT_EQ(message.rfind("found '" + bad.text + "', not a valid expression: ", 0), 0U) << bad.text << "\n"
                                                                                          << message;
    EXPECT_NE(message.find(bad.part), std::string::npos) << bad.text << "\n" << message;
    EXPECT_NE(message.find("allowed names are t, x, y, z, pi and e"), std::string::npos) << message;
  }
  EXPECT_NE(error_of("foo(t)").find("and the functions abs, acos"), std::string::npos) << error_of("foo(t)");
  EXPECT_NE(error_of("foo(t)").find("step"), std::string::npos);
}

/// As in most of Europe.
struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Expression, NumbersDoNotDependOnTheLocale) {
  const auto before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const double number = value("1.5*x + 1000");
  const auto text = Expression(1234.5).text();
  const auto comma = error_of("1,5*x");
  std::locale::global(before);
  EXPECT_EQ(number, 1002.25);
  EXPECT_EQ(text, "1234.5");
  EXPECT_NE(comma, "");
}

} // namespace
} // namespace limber::dofs
