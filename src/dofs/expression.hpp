#pragma once
/// Values that depend on time and place, as users write them: 1e5, "1e5*sin(2*pi*t)", "x > 0.5 ? t : 0".

#include <array>
#include <memory>
#include <string>

namespace limber::dofs {

/// A scalar function of the time t [s] and the rest position x, y, z [m]; copies share the compiled text. Not for use
/// by several threads at once.
///
/// The language is muParser's: + − * / ^, comparisons, && and ||, `condition ? a : b`, its functions (sin, sqrt, exp,
/// min, …; log is the natural one), and here the constants pi and e and step(a), which is 0 for a < 0 and 1 otherwise.
/// Numbers have a decimal point in every locale.
class Expression {
public:
  /// A constant; implicit, so that numbers stand where expressions are expected.
  Expression(double value = 0.0);

  /// Throws base::UserError whose message quotes the text and says what is wrong, where, and which names are allowed.
  static Expression parse(const std::string& text);

  /// \param X rest position [m]
  /// \return what the formula gives, infinity and NaN included (1/x at 0)
  double operator()(double t, const double X[3]) const;

  /// True where the text names no variable.
  bool is_constant() const { return !program_; }
  bool depends_on_time() const { return depends_on_time_; }
  bool depends_on_position() const { return depends_on_position_; }
  /// As written; for a number, the shortest text that reads back as the same number.
  const std::string& text() const { return text_; }

private:
  struct Program;

  std::string text_;
  double value_ = 0.0; ///< of a constant
  bool depends_on_time_ = false;
  bool depends_on_position_ = false;
  std::shared_ptr<Program> program_; ///< none for a constant
};

/// x, y and z components.
using ExpressionVector = std::array<Expression, 3>;

} // namespace limber::dofs
