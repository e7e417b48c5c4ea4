#include "base/petsc.hpp"

#include <map>

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
  throw InternalError(std::string("PETSc: ") + (text ? text : "error") + " (" + std::to_string(code) + ") in " + call +
                      (detail.empty() ? "" : ": " + detail));
}

void set_from_options(const char* options, const std::function<void()>& work) {
  try {
    work();
  } catch (const InternalError& e) {
    throw UserError(std::string("PETSc does not accept its options: ") + e.what(),
                    {.file = {},
                     .line = 0,
                     .key = std::string(options) + " (after -- or in solver.petsc_options)",
                     .advice = "Check the value, and that this PETSc was configured with what it needs."});
  }
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

} // namespace limber::base
