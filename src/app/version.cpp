#include "app/version.hpp"

#include <gmsh.h>
#include <petscsys.h>
#include <spdlog/fmt/fmt.h>
#include <vtkVersionMacros.h>

namespace limber::app {
namespace {

std::string petsc_version() {
#if defined(PETSC_HAVE_CUDA)
  const char* backend = "CUDA";
#elif defined(PETSC_HAVE_HIP)
  const char* backend = "HIP";
#else
  const char* backend = "none";
#endif
  return fmt::format("{}.{}.{} (GPU back end: {}, {}-bit indices)", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                     PETSC_VERSION_SUBMINOR, backend, 8 * sizeof(PetscInt));
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

} // namespace

std::vector<std::pair<std::string, std::string>> versions() {
  return {{"limber", LIMBER_VERSION},
          {"PETSc", petsc_version()},
          {"MPI", mpi_version()},
          {"Gmsh", GMSH_API_VERSION},
          {"VTK", VTK_VERSION}};
}

} // namespace limber::app
