#include "mesh/gmsh_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <gmsh.h>
#include <iostream>
#include <numbers>
#include <sstream>

#include "mesh/gmsh_file_check.hpp"
#include "mesh/gmsh_mesher.hpp"
#include "mesh/messages.hpp"
#include "mesh/surface_fill.hpp"
#include "mesh/surface_reader.hpp"

namespace limber::mesh {

namespace {

constexpr double kCadElementsPerDiagonal = 20.0; ///< where no element size is given

const char kLargerNumbers[] =
    "The geometry kernel resolves no lengths below 1e-7 m: give a small body in millimeters or micrometers, and "
    "transform: {scale: 0.001} or {scale: 1.0e-6}.";

const char kSupported[] =
    "Supported are .msh (Gmsh mesh, versions 2.2 and 4.1), .vtu and .vtk (VTK unstructured grids), .geo (Gmsh "
    "geometry), "
    ".step, .stp, .iges, .igs and .brep (solids, meshed on reading), and .stl and .obj (closed surfaces, filled with "
    "tetrahedra on reading).";

bool has_cells() {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, 3);
  return !types.empty();
}

/// Of the box around the model, which holds more than its volumes.
double box_volume() {
  double low[3], high[3];
  gmsh::model::getBoundingBox(-1, -1, low[0], low[1], low[2], high[0], high[1], high[2]);
  return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
}

base::ErrorContext with_advice(base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  return context;
}

/// Meshes surfaces only.
void mesh_surfaces(double element_size, const base::ErrorContext& context) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, 2);
  if (!types.empty()) {
    // The script has meshed already (Mesh 2;).
    if (element_size <= 0.0) return;
    gmsh::model::mesh::clear();
  }
  if (element_size > 0.0) {
    check_element_size(element_size, 0.0, context);
    use_uniform_size(element_size);
  }
  be_deterministic();
  gmsh::model::mesh::generate(2);
}

void mesh_geometry_file(const GmshSession& session, double element_size, int order, BodyKind kind,
                        const base::ErrorContext& context) {
  gmsh::vectorpair volumes;
  gmsh::model::getEntities(volumes, 3);
  if (kind == BodyKind::shell || (kind == BodyKind::springs && volumes.empty()))
    return mesh_surfaces(element_size, context);
  if (volumes.empty())
    fail(quote("the geometry has no volume", session.messages()), context,
         "Define a Volume in the .geo file; a surface or a curve cannot be meshed with tetrahedra.");
  if (has_cells()) {
    // The script has meshed already (Mesh 3;).
    if (element_size <= 0.0) return raise_order(order);
    gmsh::model::mesh::clear();
  }
  if (element_size > 0.0) {
    check_element_size(element_size, box_volume(), context);
    use_uniform_size(element_size);
  }
  be_deterministic();
  gmsh::model::mesh::generate(3);
  raise_order(order);
}

/// Keeps what OpenCASCADE prints to the terminal.
class TerminalCapture {
public:
  TerminalCapture() : out_(std::cout.rdbuf(text_.rdbuf())), error_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~TerminalCapture() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(error_);
  }
  TerminalCapture(const TerminalCapture&) = delete;
  TerminalCapture& operator=(const TerminalCapture&) = delete;

  /// The lines that speak of a failure, without colors and ornaments.
  std::vector<std::string> failures() const {
    std::vector<std::string> kept;
    std::istringstream lines(text_.str());
    for (std::string line; std::getline(lines, line);) {
      for (auto escape = line.find('\033'); escape != std::string::npos; escape = line.find('\033'))
        line.erase(escape, line.find('m', escape) - escape + 1);
      const auto first = line.find_first_not_of("* "), last = line.find_last_not_of("* ");
      if (first == std::string::npos || line.starts_with("Total number of loaded entities")) continue;
      kept.push_back("OpenCASCADE: " + line.substr(first, last - first + 1));
    }
    return kept;
  }

private:
  std::ostringstream text_;
  std::streambuf *out_, *error_;
};

bool is_iges(const std::string& ending) { return ending == ".iges" || ending == ".igs"; }
bool is_cad(const std::string& ending) {
  return ending == ".step" || ending == ".stp" || ending == ".brep" || is_iges(ending);
}

/// OpenCASCADE keeps its unit for as long as the process lives: a script that merges a STEP file after one has been
/// read here must get the millimeters that it gets alone.
bool opencascade_in_meters = false;

void open_cad(const std::string& path, const std::string& ending) {
  if (is_iges(ending)) {
    // An OpenCASCADE that has read nothing yet does not know the unit that it is to convert to.
    gmsh::open(path);
    gmsh::clear();
    // These files hold surfaces as a rule.
    gmsh::option::setNumber("Geometry.OCCSewFaces", 1);
    gmsh::option::setNumber("Geometry.OCCMakeSolids", 1);
  }
  gmsh::option::setString("Geometry.OCCTargetUnit", "M");
  opencascade_in_meters = true;
  gmsh::open(path);
}

/// Names for the parts of a geometry that has none: volume or volume1 …, surface1 …
void name_parts() {
  gmsh::vectorpair groups, entities;
  gmsh::model::getPhysicalGroups(groups);
  if (!groups.empty()) return;
  gmsh::model::getEntities(entities, 3);
  for (std::size_t i = 0; i < entities.size(); ++i)
    add_physical_group(3, {entities[i].second}, entities.size() == 1 ? "volume" : "volume" + std::to_string(i + 1));
  gmsh::model::getEntities(entities, 2);
  for (const auto& [dimension, tag] : entities) add_physical_group(2, {tag}, "surface" + std::to_string(tag));
}

double box_diagonal() {
  Vector3 low{}, high{};
  gmsh::model::getBoundingBox(-1, -1, low[0], low[1], low[2], high[0], high[1], high[2]);
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

void mesh_cad(double element_size, int order, const base::ErrorContext& context) {
  double volume = 0.0;
  gmsh::vectorpair volumes;
  gmsh::model::getEntities(volumes, 3);
  for (const auto& [dimension, tag] : volumes) {
    double part = 0.0;
    gmsh::model::occ::getMass(dimension, tag, part);
    volume += part;
  }
  check_element_size(element_size, volume, context);
  name_parts();
  use_uniform_size(element_size);
  be_deterministic();
  use_delaunay();
  gmsh::model::mesh::generate(3);
  raise_order(order);
}

std::vector<std::string> load_cad(const GmshSession& session, const MeshFile& file, const std::string& ending,
                                  int order, const base::ErrorContext& context) {
  base::ErrorContext advised = context;
  advised.advice =
      "Export the solid again (STEP, AP214 or AP242, is the safest), and see that Gmsh opens and meshes it.";
  std::vector<std::string> said;
  try {
    const TerminalCapture terminal;
    try {
      session.run("the geometry cannot be read", advised, [&] { open_cad(file.path, ending); });
    } catch (...) {
      said = terminal.failures();
      throw;
    }
    said = terminal.failures();
  } catch (const base::UserError& error) {
    throw base::UserError(quote(error.message(), said), advised);
  }
  gmsh::vectorpair volumes;
  gmsh::model::getEntities(volumes, 3);
  if (volumes.empty()) {
    for (const std::string& message : session.messages()) said.push_back(message);
    gmsh::vectorpair anything;
    gmsh::model::getEntities(anything);
    if (anything.empty()) throw base::UserError(quote("the geometry cannot be read: nothing is in it", said), advised);
    fail(quote("the geometry has no volume", said), context,
         "Export the part as a closed solid: surfaces and curves cannot be meshed with tetrahedra.");
  }
  std::vector<std::string> warnings;
  double size = file.element_size;
  if (size == 0.0) {
    size = box_diagonal() / kCadElementsPerDiagonal;
    warnings.push_back("no element_size is given for " + file.path + ": taken is " + number(size) +
                       " m, a twentieth of the diagonal of its box");
  }
  const TerminalCapture terminal;
  session.run("the geometry cannot be meshed", advised, [&] { mesh_cad(size, order, context); });
  return warnings;
}

bool finite(const Vector3& x) { return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]); }

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

void mesh_primitive(double element_size, int order, const std::vector<NamedPoint>& boundary) {
  gmsh::model::occ::synchronize();
  name_boundary(boundary);
  use_uniform_size(element_size);
  be_deterministic();
  use_delaunay();
  gmsh::model::mesh::generate(3);
  raise_order(order);
}

void require_tetrahedra(const GmshSession& session, const base::ErrorContext& advised) {
  if (!has_cells())
    throw base::UserError(quote("the geometry cannot be meshed: no tetrahedra result", session.messages()), advised);
}

} // namespace

std::vector<std::string> load_file(const GmshSession& session, const MeshFile& file, const base::ErrorContext& context,
                                   int order, BodyKind kind) {
  const std::string ending = ending_of(file.path);
  const bool surface = ending == ".stl" || ending == ".obj", cad = is_cad(ending);
  if (ending != ".msh" && ending != ".geo" && !surface && !cad)
    fail("mesh files ending in '" + ending + "' are not supported", context, kSupported);
  check_readable(file.path, context);
  if (ending == ".msh") {
    check_msh_structure(file.path, context);
    session.run("the mesh file cannot be read",
                with_advice(context, "Open the file in Gmsh, see that it is complete, and save it again."),
                [&] { gmsh::open(file.path); });
    return {};
  }
  if (file.element_size < 0.0 || !std::isfinite(file.element_size))
    fail("element_size is " + number(file.element_size), context, "Give a positive size, or none.");
  if (cad) {
    auto warnings = load_cad(session, file, ending, order, context);
    require_tetrahedra(session, context);
    return warnings;
  }
  if (surface) {
    auto warnings = fill_surface(session, read_surface(file.path, context), file.element_size, context);
    session.run("the mesh cannot be made quadratic", context, [&] { raise_order(order); });
    return warnings;
  }
  base::ErrorContext advised = context;
  advised.advice = "Open the file in Gmsh, correct it there, and see that it can be meshed in 3D.";
  session.run("the geometry cannot be read", advised, [&] {
    if (opencascade_in_meters) gmsh::option::setString("Geometry.OCCTargetUnit", "MM");
    gmsh::open(file.path);
  });
  session.run("the geometry cannot be meshed", advised,
              [&] { mesh_geometry_file(session, file.element_size, order, kind, context); });
  if (kind == BodyKind::solid) require_tetrahedra(session, advised);
  return {};
}

void make_box(const GmshSession& session, const BoxMesh& box, const base::ErrorContext& context, int order) {
  Vector3 extent{}, center{};
  for (std::size_t k = 0; k < 3; ++k) {
    extent[k] = box.max[k] - box.min[k];
    center[k] = 0.5 * (box.min[k] + box.max[k]);
  }
  if (!finite(box.min) || !finite(box.max) || !(std::min({extent[0], extent[1], extent[2]}) > 0.0))
    fail("the box has no volume", context, "Each component of max must be larger than that of min.");
  const double volume = extent[0] * extent[1] * extent[2];
  check_element_size(box.element_size, volume, context);
  session.run("the box cannot be meshed", with_advice(context, kLargerNumbers), [&] {
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
    mesh_primitive(box.element_size, order, faces);
  });
}

void make_sphere(const GmshSession& session, const SphereMesh& sphere, const base::ErrorContext& context, int order) {
  if (!finite(sphere.center) || !std::isfinite(sphere.radius) || !(sphere.radius > 0.0))
    fail("the sphere has no volume", context, "Give a finite center and a positive radius.");
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(sphere.radius, 3);
  check_element_size(sphere.element_size, volume, context);
  session.run("the sphere cannot be meshed", with_advice(context, kLargerNumbers), [&] {
    gmsh::model::occ::addSphere(sphere.center[0], sphere.center[1], sphere.center[2], sphere.radius);
    mesh_primitive(sphere.element_size, order, {{"surface", sphere.center}});
  });
}

void make_cylinder(const GmshSession& session, const CylinderMesh& cylinder, const base::ErrorContext& context,
                   int order) {
  const double length = distance(cylinder.start, cylinder.end);
  if (!finite(cylinder.start) || !finite(cylinder.end) || !std::isfinite(cylinder.radius) || !(length > 0.0) ||
      !(cylinder.radius > 0.0))
    fail("the cylinder has no volume", context, "Give two different centers and a positive radius.");
  const double volume = std::numbers::pi * cylinder.radius * cylinder.radius * length;
  check_element_size(cylinder.element_size, volume, context);
  session.run("the cylinder cannot be meshed", with_advice(context, kLargerNumbers), [&] {
    const Vector3& a = cylinder.start;
    const Vector3& b = cylinder.end;
    gmsh::model::occ::addCylinder(a[0], a[1], a[2], b[0] - a[0], b[1] - a[1], b[2] - a[2], cylinder.radius);
    const Vector3 middle = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
    mesh_primitive(cylinder.element_size, order, {{"start", a}, {"end", b}, {"side", middle}});
  });
}

} // namespace limber::mesh
