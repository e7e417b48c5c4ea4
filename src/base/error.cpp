#include "base/error.hpp"

namespace limber::base {
namespace {

std::string compose(const std::string& message, const ErrorContext& context) {
  std::string text;
  if (!context.file.empty()) {
    text += context.file;
    if (context.line > 0) text += ":" + std::to_string(context.line);
    text += ": ";
  }
  if (!context.key.empty()) text += context.key + ": ";
  text += message;
  if (!context.advice.empty()) text += "\n  " + context.advice;
  return text;
}

} // namespace

UserError::UserError(const std::string& message, ErrorContext context)
    : std::runtime_error(compose(message, context)), message_(message), context_(std::move(context)) {}

} // namespace limber::base
