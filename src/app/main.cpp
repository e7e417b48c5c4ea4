/// Starts PETSc and hands over to the command line.

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

#include "app/command_line.hpp"
#include "app/interrupt.hpp"
#include "base/petsc.hpp"

namespace {

/// Ranks are the parallelism: threads of the BLAS on top of them would only compete. The user's setting wins.
void use_one_blas_thread() {
  if (std::getenv("OPENBLAS_NUM_THREADS") || std::getenv("OMP_NUM_THREADS")) return;
  using SetThreads = void (*)(int);
  if (auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

} // namespace

int main(int argc, char** argv) {
  // What follows "--" belongs to PETSc.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  int petsc_argc = argc > own ? argc - own : 1;
  char** petsc_argv = argc > own ? argv + own : argv;
  petsc_argv[0] = argv[0];

  use_one_blas_thread();
  limber::app::catch_requests();
  int count = petsc_argc;
  char** values = petsc_argv;
  if (PetscInitialize(&count, &values, nullptr, nullptr)) return petsc_argc > 1 ? 1 : 5; // an option, most likely
  int code = 5;
  try {
    limber::app::catch_requests(); // again: PETSc has put its own handlers there
    limber::base::quiet_petsc_errors();
    code = limber::app::run_command_line(own, argv, petsc_argc, petsc_argv);
  } catch (const std::exception& e) {
    // The other ranks may be anywhere: no way back from here.
    std::fprintf(stderr, "limber: internal error: %s\n", e.what());
    std::fflush(nullptr);
    MPI_Abort(PETSC_COMM_WORLD, 5);
  }
  PetscFinalize();
  return code;
}
