#include "mesh/gmsh_mesher.hpp"

#include <cmath>
#include <cstdio>
#include <gmsh.h>
#include <limits>

#include "base/types.hpp"
#include "mesh/messages.hpp"

namespace limber::mesh {

void be_deterministic() {
  gmsh::option::setNumber("General.NumThreads", 1);
  gmsh::option::setNumber("Mesh.RandomSeed", 1);
  for (const char* option : {"Mesh.MaxNumThreads1D", "Mesh.MaxNumThreads2D", "Mesh.MaxNumThreads3D"})
    gmsh::option::setNumber(option, 1);
}

void use_delaunay() { gmsh::option::setNumber("Mesh.Algorithm3D", 1); }

void use_uniform_size(double size) {
  gmsh::option::setNumber("Mesh.MeshSizeFactor", 1.0);
  gmsh::option::setNumber("Mesh.MeshSizeMin", size);
  gmsh::option::setNumber("Mesh.MeshSizeMax", size);
}

void check_element_size(double size, double volume, const base::ErrorContext& context) {
  if (!(std::isfinite(size) && size > 0.0))
    fail("element_size is " + number(size), context, "Give a positive size in meters.");
  // Gmsh's tetrahedra fill 0.2 to 0.25 size³ each (measured).
  const double cells = volume / (0.25 * size * size * size);
  if (cells > std::numeric_limits<LocalIndex>::max())
    fail("element_size " + number(size) + " m makes about " + number(cells) + " tetrahedra", context,
         "Choose a larger element_size: it is in meters.");
}

void add_physical_group(int dimension, const std::vector<int>& entities, const std::string& name) {
  const int tag = gmsh::model::addPhysicalGroup(dimension, entities);
  gmsh::model::setPhysicalName(dimension, tag, name);
}

void raise_order(int order) {
  if (order == 2) gmsh::model::mesh::setOrder(2);
}

} // namespace limber::mesh
