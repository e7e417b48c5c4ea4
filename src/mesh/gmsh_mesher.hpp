#pragma once
/// How Gmsh's mesh generator is set up, wherever this folder uses it. All act on Gmsh's current model.

#include <string>
#include <vector>

#include "base/error.hpp"

namespace limber::mesh {

/// One thread and a fixed seed, so that the same input gives the same mesh.
void be_deterministic();

/// The Delaunay algorithm, whatever a script has chosen. HXT would be ten times faster on a million tetrahedra, but it
/// visits the boundary's nodes in the order of their addresses, so that its mesh depends on what the heap held before.
void use_delaunay();

void use_uniform_size(double size);

/// Throws UserError unless `size` is positive and makes a number of tetrahedra in `volume` that LocalIndex holds.
void check_element_size(double size, double volume, const base::ErrorContext& context);

void add_physical_group(int dimension, const std::vector<int>& entities, const std::string& name);

/// Makes linear elements quadratic where `order` is 2; the new nodes lie on curved geometry where there is one, and
/// in the middle of the edges elsewhere. Other orders leave the mesh as it is.
void raise_order(int order);

} // namespace limber::mesh
