#include "base/petsc.hpp"

#include <map>

namespace limber::base {

void throw_petsc_error(int code, const char* call) {
  const char* text = nullptr;
  PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
  throw InternalError(std::string("PETSc: ") + (text ? text : "error") + " (" + std::to_string(code) + ") in " + call);
}

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
