#include "dofs/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <muParser.h>
#include <utility>

#include "base/error.hpp"

namespace limber::dofs {
namespace {

double step(double a) { return a < 0.0 ? 0.0 : 1.0; }

std::string number_text(double x) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr};
}

/// One-based position in characters, not bytes.
std::string at_character(const std::string& text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  const auto before = std::count_if(text.begin(), end, [](char c) { return (c & 0xC0) != 0x80; });
  return " at character " + std::to_string(before + 1);
}

/// The parser takes '=' for an assignment, even to t and x.
std::size_t find_assignment(const std::string& text) {
  const std::string comparisons = "<>!=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') ++i;
    else if (i == 0 || comparisons.find(text[i - 1]) == std::string::npos) return i;
  }
  return std::string::npos;
}

std::string function_names(const mu::Parser& parser) {
  std::string names;
  for (const auto& [name, function] : parser.GetFunDef()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

struct Problem {
  std::string what;
  bool about_a_name = false;
};

/// A token that the parser does not know: a name, a malformed number or a character without meaning here.
Problem unknown_token(const mu::Parser& parser, std::string token) {
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  const auto first = static_cast<unsigned char>(token.empty() ? ' ' : token.front());
  if (parser.GetFunDef().count(token)) return {"the function '" + token + "' without '(' and ')'"};
  if (std::isalpha(first) || first == '_') return {"unknown name '" + token + "'", true};
  if (std::isdigit(first) || first == '.') return {"'" + token + "' is not a number"};
  return {"unexpected '" + token + "'"};
}

Problem problem_of(const mu::Parser& parser, const mu::ParserError& error) {
  const std::string& token = error.GetToken();
  switch (error.GetCode()) {
  case mu::ecEMPTY_EXPRESSION:
    return {"it is empty"};
  case mu::ecUNASSIGNABLE_TOKEN:
    return unknown_token(parser, token);
  case mu::ecUNEXPECTED_EOF:
    return {"it ends too early"};
  case mu::ecMISSING_PARENS:
    return {"a ')' is missing"};
  case mu::ecUNEXPECTED_VAL:
  case mu::ecUNEXPECTED_VAR:
  case mu::ecUNEXPECTED_FUN:
    return {"unexpected '" + token + "'; is an operator missing before it"};
  case mu::ecUNEXPECTED_OPERATOR:
  case mu::ecUNEXPECTED_PARENS:
    return {"unexpected '" + token + "'"};
  case mu::ecUNEXPECTED_ARG_SEP:
  case mu::ecUNEXPECTED_ARG:
    return {"a ',' outside of a function's arguments"};
  case mu::ecTOO_MANY_PARAMS:
    return {"too many arguments for '" + token + "'"};
  case mu::ecTOO_FEW_PARAMS:
    return {"too few arguments for '" + token + "'"};
  case mu::ecMISSING_ELSE_CLAUSE:
    return {"a '?' without its ':'"};
  case mu::ecMISPLACED_COLON:
    return {"a ':' without its '?'"};
  default:
    return {"it cannot be understood"};
  }
}

[[noreturn]] void refuse(const std::string& text, const std::string& what, const std::string& functions) {
  std::string allowed = "allowed names are t, x, y, z, pi and e";
  if (!functions.empty()) allowed += ", and the functions " + functions;
  throw base::UserError("found '" + text + "', not a valid expression: " + what + " (" + allowed + ")");
}

} // namespace

struct Expression::Program {
  mu::Parser parser; ///< holds pointers to the variables
  double t = 0.0;
  std::array<double, 3> position{};

  Program() {
    parser.ClearConst();
    parser.DefineConst("pi", 3.14159265358979323846);
    parser.DefineConst("e", 2.71828182845904523536);
    parser.DefineFun("step", step);
    parser.DefineVar("t", &t);
    parser.DefineVar("x", &position[0]);
    parser.DefineVar("y", &position[1]);
    parser.DefineVar("z", &position[2]);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};

Expression::Expression(double value) : text_(number_text(value)), value_(value) {}

Expression Expression::parse(const std::string& text) {
  const auto program = std::make_shared<Program>();
  if (const auto assignment = find_assignment(text); assignment != std::string::npos)
    refuse(text, "a single '='" + at_character(text, assignment) + "; '==' compares", "");
  Expression result;
  result.text_ = text;
  try {
    program->parser.SetExpr(text);
    result.value_ = program->parser.Eval();
    const auto used = program->parser.GetUsedVar();
    result.depends_on_time_ = used.count("t") > 0;
    result.depends_on_position_ = used.size() > used.count("t");
    if (!used.empty()) result.program_ = program;
  } catch (const mu::ParserError& error) {
    const auto problem = problem_of(program->parser, error);
    const auto place = error.GetPos() < 0 ? "" : at_character(text, static_cast<std::size_t>(error.GetPos()));
    refuse(text, problem.what + place, problem.about_a_name ? function_names(program->parser) : "");
  }
  // "0,5" would be the last of two values.
  if (program->parser.GetNumResults() != 1)
    refuse(text, "a ',' outside of a function's arguments; decimals are written with '.'", "");
  return result;
}

double Expression::operator()(double t, const double X[3]) const {
  if (!program_) return value_;
  program_->t = t;
  std::copy(X, X + 3, program_->position.begin());
  return program_->parser.Eval();
}

} // namespace limber::dofs
