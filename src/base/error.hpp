#pragma once
/// Exceptions. Each kind maps to one exit code (docs/design.md, "Exit codes").
/// Failure to converge is not an exception: it is a value (see solvers/step_outcome.hpp).

#include <stdexcept>
#include <string>

namespace limber::base {

/// Where an error comes from and what to do about it; empty members are left out of the text.
struct ErrorContext {
  std::string file;
  int line = 0;       ///< one-based; 0: unknown
  std::string key;    ///< key path such as bodies[0].material.density
  std::string advice; ///< what the user can do
};

/// The user's input is at fault: exit code 1. what() is the complete text, over several lines.
class UserError : public std::runtime_error {
public:
  explicit UserError(const std::string& message, ErrorContext context = {});
  const std::string& message() const { return message_; }
  const ErrorContext& context() const { return context_; }

private:
  std::string message_;
  ErrorContext context_;
};

/// A file could not be read or written once the run had begun: exit code 3.
class IoError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A defect of the program: exit code 5.
class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

} // namespace limber::base
