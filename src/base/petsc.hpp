#pragma once
/// PETSc: error checks, owning handles, index conversion, log stages.

#include <functional>
#include <limits>
#include <petscksp.h>
#include <petscsf.h>
#include <petscsnes.h>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

#if !PETSC_VERSION_GE(3, 19, 0)
#define PETSC_SUCCESS 0
#endif
#if !PETSC_VERSION_GE(3, 25, 0)
#define SNES_DIVERGED_FUNCTION_NANORINF SNES_DIVERGED_FNORM_NAN
#endif

/// Throws when a PETSc call fails, see throw_petsc_error. Outside PETSc callbacks only.
#define LIMBER_PETSC(...)                                                                                              \
  do {                                                                                                                 \
    const auto limber_petsc_error = (__VA_ARGS__);                                                                     \
    if (limber_petsc_error) ::limber::base::throw_petsc_error(static_cast<int>(limber_petsc_error), #__VA_ARGS__);     \
  } while (false)

namespace limber::base {

/// UserError for an unknown type or a file that cannot be opened, which only options can name; else InternalError.
[[noreturn]] void throw_petsc_error(int code, const char* call);

/// Runs XxxSetFromOptions calls; a value that PETSc refuses becomes a UserError about `options`, such as "-vec_type",
/// on every rank, also where one rank alone refuses (a file that cannot be opened). Collective.
void set_from_options(MPI_Comm comm, const char* options, const std::function<void()>& work);

/// PETSc's messages go into the exception instead of a trace on every rank. After PetscInitialize.
void quiet_petsc_errors();

/// Converts a global index, checked: PetscInt may be 32-bit.
inline PetscInt to_petsc_int(GlobalIndex i) {
  if (i > std::numeric_limits<PetscInt>::max() || i < std::numeric_limits<PetscInt>::min())
    throw UserError("the problem has more unknowns than this PETSc can index (" + std::to_string(i) + ")",
                    {.file = {}, .line = 0, .key = {}, .advice = "Use a PETSc configured with --with-64-bit-indices."});
  return static_cast<PetscInt>(i);
}

/// Owns a PETSc object; moves, never copies.
template <class Object, auto Destroy> class Handle {
public:
  Handle() = default;
  explicit Handle(Object object) : object_(object) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }
  void reset() noexcept {
    if (object_) Destroy(&object_);
    object_ = nullptr;
  }
  Object get() const { return object_; }
  operator Object() const { return object_; }
  Object* out() {
    reset();
    return &object_;
  }

private:
  Object object_ = nullptr;
};

using VecHandle = Handle<Vec, VecDestroy>;
using MatHandle = Handle<Mat, MatDestroy>;
using KspHandle = Handle<KSP, KSPDestroy>;
using SnesHandle = Handle<SNES, SNESDestroy>;
using SfHandle = Handle<PetscSF, PetscSFDestroy>;

/// A PETSc log stage for the life of the object; shown by -log_view.
class LogStage {
public:
  /// \param name the same on every rank; registered at first use
  explicit LogStage(const char* name);
  ~LogStage();
  LogStage(const LogStage&) = delete;
  LogStage& operator=(const LogStage&) = delete;
};

/// A PETSc log event for the life of the object; -log_view shows number and time.
class LogEvent {
public:
  /// \param name the same on every rank; registered at first use
  explicit LogEvent(const char* name);
  ~LogEvent();
  LogEvent(const LogEvent&) = delete;
  LogEvent& operator=(const LogEvent&) = delete;

private:
  PetscLogEvent event_ = 0;
};

} // namespace limber::base
