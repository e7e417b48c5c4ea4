#include "base/petsc.hpp"

#include <map>

#include "base/collective.hpp"

namespace limber::base {

namespace {

std::string first_message; ///< of the error under way

PetscErrorCode remember(MPI_Comm, int, const char* function, const char*, PetscErrorCode code, PetscErrorType type,
                        const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL)
    first_message = std::string(message ? message : "") + (function ? std::string(" (in ") + function + ")" : "");
  return code;
}

} // namespace

void throw_petsc_error(int code, const char* call) {
  const char* text = nullptr;
  PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
  const std::string detail = std::exchange(first_message, {});
  if (code == PETSC_ERR_ARG_UNKNOWN_TYPE || code == PETSC_ERR_FILE_OPEN)
    throw UserError("PETSc does not accept its options: " + (detail.empty() ? std::string(text ? text : "") : detail),
                    {.file = {},
                     .line = 0,
                     .key = "after -- or in solver.petsc_options",
                     .advice = "Check names and files there."});
  throw InternalError(std::string("PETSc: ") + (text ? text : "error") + " (" + std::to_string(code) + ") in " + call +
                      (detail.empty() ? "" : ": " + detail));
}

void set_from_options(MPI_Comm comm, const char* options, const std::function<void()>& work) {
  const auto refuse = [&](const std::string& message) {
    throw UserError(message, {.file = {},
                              .line = 0,
                              .key = std::string(options) + " (after -- or in solver.petsc_options)",
                              .advice = "Check the value, and that this PETSc was configured with what it needs."});
  };
  all_or_throw(comm, [&] {
    try {
      work();
    } catch (const UserError& e) {
      refuse(e.message());
    } catch (const InternalError& e) {
      refuse(std::string("PETSc does not accept its options: ") + e.what());
    }
  });
}

void quiet_petsc_errors() { LIMBER_PETSC(PetscPushErrorHandler(remember, nullptr)); }

LogStage::LogStage(const char* name) {
  static std::map<std::string, PetscLogStage> stages;
  auto found = stages.find(name);
  if (found == stages.end()) {
    PetscLogStage stage = 0;
    LIMBER_PETSC(PetscLogStageRegister(name, &stage));
    found = stages.emplace(name, stage).first;
  }
  LIMBER_PETSC(PetscLogStagePush(found->second));
}

LogStage::~LogStage() { PetscLogStagePop(); }

LogEvent::LogEvent(const char* name) {
  static std::map<std::string, PetscLogEvent> events;
  auto found = events.find(name);
  if (found == events.end()) {
    PetscClassId owner = 0;
    LIMBER_PETSC(PetscClassIdRegister("limber", &owner));
    PetscLogEvent event = 0;
    LIMBER_PETSC(PetscLogEventRegister(name, owner, &event));
    found = events.emplace(name, event).first;
  }
  event_ = found->second;
  LIMBER_PETSC(PetscLogEventBegin(event_, nullptr, nullptr, nullptr, nullptr));
}

LogEvent::~LogEvent() { static_cast<void>(PetscLogEventEnd(event_, nullptr, nullptr, nullptr, nullptr)); }

} // namespace limber::base
