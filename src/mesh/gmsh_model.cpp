#include "mesh/gmsh_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <gmsh.h>
#include <limits>
#include <numbers>

#include "mesh/gmsh_file_check.hpp"

namespace limber::mesh {

namespace {

/// Gmsh's number for Mesh.Algorithm3D. HXT (10) would be ten times faster on a million tetrahedra, but it visits the
/// boundary's nodes in the order of their addresses, so that its mesh depends on what the heap held before.
constexpr double kDelaunay = 1;

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string extension(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

void use_uniform_size(double size) {
  gmsh::option::setNumber("Mesh.MeshSizeFactor", 1.0);
  gmsh::option::setNumber("Mesh.MeshSizeMin", size);
  gmsh::option::setNumber("Mesh.MeshSizeMax", size);
}

/// One thread and a fixed seed, so that the same input gives the same mesh.
void be_deterministic() {
  gmsh::option::setNumber("General.NumThreads", 1);
  gmsh::option::setNumber("Mesh.RandomSeed", 1);
  for (const char* option : {"Mesh.MaxNumThreads1D", "Mesh.MaxNumThreads2D", "Mesh.MaxNumThreads3D"})
    gmsh::option::setNumber(option, 1);
}

bool has_cells() {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, 3);
  return !types.empty();
}

void mesh_geometry_file(const GmshSession& session, double element_size, const base::ErrorContext& context) {
  gmsh::vectorpair volumes;
  gmsh::model::getEntities(volumes, 3);
  if (volumes.empty())
    fail(quote("the geometry has no volume", session.messages()), context,
         "Define a Volume in the .geo file; a surface or a curve cannot be meshed with tetrahedra.");
  if (has_cells()) {
    // The script has meshed already (Mesh 3;).
    if (element_size <= 0.0) return;
    gmsh::model::mesh::clear();
  }
  if (element_size > 0.0) use_uniform_size(element_size);
  be_deterministic();
  gmsh::model::mesh::generate(3);
}

bool finite(const Vector3& x) { return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]); }

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

double distance(const Vector3& a, const Vector3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

struct NamedPoint {
  std::string name;
  Vector3 center;
};

/// Names each surface of the model after the nearest of `points` to its center of mass, and `volume` its volume.
void name_boundary(const std::vector<NamedPoint>& points) {
  std::vector<std::vector<int>> surfaces(points.size());
  gmsh::vectorpair entities;
  gmsh::model::getEntities(entities, 2);
  for (const auto& [dimension, tag] : entities) {
    Vector3 center{};
    gmsh::model::occ::getCenterOfMass(dimension, tag, center[0], center[1], center[2]);
    const auto nearest = std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
      return distance(a.center, center) < distance(b.center, center);
    });
    surfaces[static_cast<std::size_t>(nearest - points.begin())].push_back(tag);
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!surfaces[i].empty()) add_physical_group(2, surfaces[i], points[i].name);
  gmsh::model::getEntities(entities, 3);
  add_physical_group(3, {entities.at(0).second}, "volume");
}

void mesh_primitive(double element_size, const std::vector<NamedPoint>& boundary) {
  gmsh::model::occ::synchronize();
  name_boundary(boundary);
  use_uniform_size(element_size);
  be_deterministic();
  gmsh::option::setNumber("Mesh.Algorithm3D", kDelaunay);
  gmsh::model::mesh::generate(3);
}

} // namespace

void load_file(const GmshSession& session, const MeshFile& file, const base::ErrorContext& context) {
  const std::string ending = extension(file.path);
  if (ending != ".msh" && ending != ".geo")
    fail("mesh files ending in '" + ending + "' are not supported", context,
         "Supported are .msh (Gmsh mesh, versions 2.2 and 4.1) and .geo (Gmsh geometry, meshed on reading).");
  check_readable(file.path, context);
  if (ending == ".msh") {
    check_msh_structure(file.path, context);
    session.run("the mesh file cannot be read", context, [&] { gmsh::open(file.path); });
    return;
  }
  if (file.element_size < 0.0 || !std::isfinite(file.element_size))
    fail("element_size is " + number(file.element_size), context, "Give a positive size, or none.");
  base::ErrorContext advised = context;
  advised.advice = "Open the file in Gmsh, correct it there, and see that it can be meshed in 3D.";
  session.run("the geometry cannot be read", advised, [&] { gmsh::open(file.path); });
  session.run("the geometry cannot be meshed", advised,
              [&] { mesh_geometry_file(session, file.element_size, context); });
}

void make_box(const GmshSession& session, const BoxMesh& box, const base::ErrorContext& context) {
  Vector3 extent{}, center{};
  for (std::size_t k = 0; k < 3; ++k) {
    extent[k] = box.max[k] - box.min[k];
    center[k] = 0.5 * (box.min[k] + box.max[k]);
  }
  if (!finite(box.min) || !finite(box.max) || !(std::min({extent[0], extent[1], extent[2]}) > 0.0))
    fail("the box has no volume", context, "Each component of max must be larger than that of min.");
  const double volume = extent[0] * extent[1] * extent[2];
  check_element_size(box.element_size, volume, context);
  session.run("the box cannot be meshed", context, [&] {
    gmsh::model::occ::addBox(box.min[0], box.min[1], box.min[2], extent[0], extent[1], extent[2]);
    std::vector<NamedPoint> faces;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      Vector3 low = center, high = center;
      low[k] = box.min[k];
      high[k] = box.max[k];
      faces.push_back({axis + "min", low});
      faces.push_back({axis + "max", high});
    }
    mesh_primitive(box.element_size, faces);
  });
}

void make_sphere(const GmshSession& session, const SphereMesh& sphere, const base::ErrorContext& context) {
  if (!finite(sphere.center) || !std::isfinite(sphere.radius) || !(sphere.radius > 0.0))
    fail("the sphere has no volume", context, "Give a finite center and a positive radius.");
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(sphere.radius, 3);
  check_element_size(sphere.element_size, volume, context);
  session.run("the sphere cannot be meshed", context, [&] {
    gmsh::model::occ::addSphere(sphere.center[0], sphere.center[1], sphere.center[2], sphere.radius);
    mesh_primitive(sphere.element_size, {{"surface", sphere.center}});
  });
}

void make_cylinder(const GmshSession& session, const CylinderMesh& cylinder, const base::ErrorContext& context) {
  const double length = distance(cylinder.start, cylinder.end);
  if (!finite(cylinder.start) || !finite(cylinder.end) || !std::isfinite(cylinder.radius) || !(length > 0.0) ||
      !(cylinder.radius > 0.0))
    fail("the cylinder has no volume", context, "Give two different centers and a positive radius.");
  const double volume = std::numbers::pi * cylinder.radius * cylinder.radius * length;
  check_element_size(cylinder.element_size, volume, context);
  session.run("the cylinder cannot be meshed", context, [&] {
    const Vector3& a = cylinder.start;
    const Vector3& b = cylinder.end;
    gmsh::model::occ::addCylinder(a[0], a[1], a[2], b[0] - a[0], b[1] - a[1], b[2] - a[2], cylinder.radius);
    const Vector3 middle = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
    mesh_primitive(cylinder.element_size, {{"start", a}, {"end", b}, {"side", middle}});
  });
}

} // namespace limber::mesh
