#include <cstdlib>
#include <gtest/gtest.h>

#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

TEST(YamlText, NumbersReadBackExactly) {
  for (const double x : {0.0, 1.0, -9.81, 0.1, 1e5, 1e-6, 1.0 / 3.0, 1e300, 5e-324, -2.5e-7, 123456789.125})
    EXPECT_EQ(std::strtod(number_text(x).c_str(), nullptr), x) << number_text(x);
  EXPECT_EQ(number_text(100000.0), "100000");
  EXPECT_EQ(number_text(1e-6), "1.0e-06"); // YAML 1.1 readers need the point
}

TEST(YamlText, StringsAreQuotedWhereNeeded) {
  EXPECT_EQ(string_text("out/bar-1.x"), "out/bar-1.x");
  EXPECT_EQ(string_text("true"), "\"true\"");
  EXPECT_EQ(string_text("No"), "\"No\"");
  EXPECT_EQ(string_text("null"), "\"null\"");
  EXPECT_EQ(string_text(""), "\"\"");
  EXPECT_EQ(string_text("5"), "\"5\"");
  EXPECT_EQ(string_text("-ksp_rtol 1e-6"), "\"-ksp_rtol 1e-6\"");
  EXPECT_EQ(string_text("a\"b\\c\n"), "\"a\\\"b\\\\c\\x0a\"");
}

} // namespace
} // namespace limber::config
