#pragma once
/// What this program is made of.

#include <string>
#include <utility>
#include <vector>

namespace limber::app {

/// Names and versions: limber, PETSc and its GPU back end, MPI, Gmsh, VTK. After MPI_Init.
std::vector<std::pair<std::string, std::string>> versions();

} // namespace limber::app
