#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "mesh/body_mesh.hpp"
#include "mesh/gmsh_extract.hpp"
#include "mesh/gmsh_model.hpp"
#include "mesh/gmsh_session.hpp"

namespace limber::mesh {

namespace {

constexpr std::size_t kListed = 5; ///< offenders that a message names

/// A tetrahedron is flat below this multiple of its longest edge cubed.
constexpr double kFlat = 1e-14;

template <class... Ts> struct Overloaded : Ts... { using Ts::operator()...; };
template <class... Ts> Overloaded(Ts...) -> Overloaded<Ts...>; // clang 14 does not deduce aggregates

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

/// A mesh file is named itself; a primitive is found at its place in the configuration.
base::ErrorContext context_of(const BodyMeshOptions& options) {
  base::ErrorContext context{options.config_file, options.config_line, options.config_key, {}};
  if (const auto* file = std::get_if<MeshFile>(&options.source.shape)) {
    context.file = file->path;
    context.line = 0;
  }
  return context;
}

void check_options(const BodyMeshOptions& options, const base::ErrorContext& context) {
  if (options.source.order != 1)
    fail("elements of order " + std::to_string(options.source.order) + " are not available", context, "Use order: 1.");
  const Transform& t = options.transform;
  if (!std::isfinite(t.scale) || !(t.scale > 0.0))
    fail("the scale of the transform is not positive", context, "Give a positive scale; mirror the mesh in Gmsh.");
  bool finite = std::isfinite(t.rotation_degrees);
  for (std::size_t k = 0; k < 3; ++k)
    finite = finite && std::isfinite(t.translate[k]) && std::isfinite(t.rotation_axis[k]);
  if (!finite) fail("the transform has a number that is not finite", context, "Correct it.");
  if (t.rotation_degrees != 0.0 && std::hypot(t.rotation_axis[0], t.rotation_axis[1], t.rotation_axis[2]) == 0.0)
    fail("the rotation's axis is zero", context, "Give a direction, for example axis: [0, 0, 1].");
}

ExtractedMesh load(const BodyMeshOptions& options, const base::ErrorContext& context,
                   std::vector<std::string>& warnings) {
  const GmshSession session;
  std::visit(Overloaded{[&](const MeshFile& shape) { load_file(session, shape, context); },
                        [&](const BoxMesh& shape) { make_box(session, shape, context); },
                        [&](const SphereMesh& shape) { make_sphere(session, shape, context); },
                        [&](const CylinderMesh& shape) { make_cylinder(session, shape, context); }},
             options.source.shape);
  ExtractedMesh mesh;
  session.run("the mesh cannot be used", context, [&] { mesh = extract_mesh(context); });
  for (const std::string& message : session.messages()) warnings.push_back("Gmsh: " + message);
  return mesh;
}

/// "3, 17, 20 and 4 more".
class Offenders {
public:
  void add(std::size_t tag) {
    if (count_++ < kListed) text_ += (text_.empty() ? "" : ", ") + std::to_string(tag);
  }
  std::size_t count() const { return count_; }
  std::string text() const {
    return count_ > kListed ? text_ + " and " + std::to_string(count_ - kListed) + " more" : text_;
  }

private:
  std::size_t count_ = 0;
  std::string text_;
};

void check_coordinates(const ExtractedMesh& mesh, const base::ErrorContext& context) {
  Offenders bad;
  for (std::size_t i = 0; i < mesh.node_tags.size(); ++i)
    if (!std::isfinite(mesh.points[3 * i]) || !std::isfinite(mesh.points[3 * i + 1]) ||
        !std::isfinite(mesh.points[3 * i + 2]))
      bad.add(mesh.node_tags[i]);
  if (bad.count() > 0)
    fail("coordinates that are not finite numbers, at the nodes with Gmsh tags " + bad.text(), context,
         "Correct or remove these nodes.");
}

void check_repeated_vertices(const ExtractedMesh& mesh, const base::ErrorContext& context) {
  Offenders bad;
  for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c) {
    std::array<LocalIndex, 4> v;
    std::copy_n(mesh.cells.begin() + static_cast<std::ptrdiff_t>(4 * c), 4, v.begin());
    std::sort(v.begin(), v.end());
    if (std::adjacent_find(v.begin(), v.end()) != v.end()) bad.add(mesh.cell_tags[c]);
  }
  if (bad.count() > 0)
    fail("tetrahedra that name a node twice, with Gmsh tags " + bad.text(), context, "Remove them or mesh again.");
}

/// Whether each cell is the first with its four nodes. Version 2 files hold a tetrahedron once for each physical
/// volume it belongs to.
std::vector<char> first_copies(const ExtractedMesh& mesh) {
  const std::size_t cells = mesh.cell_tags.size();
  const auto sorted = [&](LocalIndex c) {
    std::array<LocalIndex, 4> v;
    std::copy_n(mesh.cells.begin() + 4 * static_cast<std::ptrdiff_t>(c), 4, v.begin());
    std::sort(v.begin(), v.end());
    return v;
  };
  // By smallest vertex first: few cells share one, so that the comparisons of all four stay short.
  std::vector<std::pair<LocalIndex, LocalIndex>> keys(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const auto vertices = mesh.cells.begin() + static_cast<std::ptrdiff_t>(4 * c);
    keys[c] = {*std::min_element(vertices, vertices + 4), static_cast<LocalIndex>(c)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<char> first(cells, 1);
  std::vector<std::pair<std::array<LocalIndex, 4>, LocalIndex>> bucket;
  for (std::size_t begin = 0, end = 0; begin < cells; begin = end) {
    bucket.clear();
    for (; end < cells && keys[end].first == keys[begin].first; ++end)
      bucket.emplace_back(sorted(keys[end].second), keys[end].second);
    std::sort(bucket.begin(), bucket.end());
    for (std::size_t i = 1; i < bucket.size(); ++i)
      if (bucket[i].first == bucket[i - 1].first) first[static_cast<std::size_t>(bucket[i].second)] = 0;
  }
  return first;
}

/// translate ∘ rotate ∘ scale; the rotation by Rodrigues' formula.
void apply(const Transform& transform, std::vector<double>& points) {
  Vector3 n = transform.rotation_axis;
  const double length = std::hypot(n[0], n[1], n[2]);
  const bool turns = transform.rotation_degrees != 0.0;
  const double angle = transform.rotation_degrees * std::numbers::pi / 180.0;
  const double c = std::cos(angle), s = std::sin(angle);
  for (double& component : n) component /= turns ? length : 1.0;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    Vector3 x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = transform.scale * points[i + k];
    if (turns) {
      const double along = (1.0 - c) * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
      x = {c * x[0] + s * (n[1] * x[2] - n[2] * x[1]) + along * n[0],
           c * x[1] + s * (n[2] * x[0] - n[0] * x[2]) + along * n[1],
           c * x[2] + s * (n[0] * x[1] - n[1] * x[0]) + along * n[2]};
    }
    for (std::size_t k = 0; k < 3; ++k) points[i + k] = x[k] + transform.translate[k];
  }
}

/// Keeps the nodes that a tetrahedron uses, and the first copy of each tetrahedron.
void fill_nodes_and_cells(BodyMesh& body, const ExtractedMesh& mesh, std::vector<LocalIndex>& new_index) {
  const std::vector<char> first = first_copies(mesh);
  const auto copies = std::count(first.begin(), first.end(), 0);
  if (copies > 0)
    body.warnings.push_back(std::to_string(copies) +
                            " tetrahedra occur more than once in the file; each is taken once");

  for (const LocalIndex node : mesh.cells) new_index[static_cast<std::size_t>(node)] = 0;
  const auto used = static_cast<std::size_t>(std::count(new_index.begin(), new_index.end(), 0));
  body.node_ids.reserve(used);
  body.points.reserve(3 * used);
  for (std::size_t i = 0; i < new_index.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<LocalIndex>(body.node_ids.size());
    body.node_ids.push_back(static_cast<GlobalIndex>(i));
    body.points.insert(body.points.end(), &mesh.points[3 * i], &mesh.points[3 * i] + 3);
  }

  const std::size_t kept = first.size() - static_cast<std::size_t>(copies);
  body.cells.reserve(4 * kept);
  body.cell_ids.reserve(kept);
  body.cell_groups.reserve(kept);
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (!first[c]) continue;
    for (std::size_t k = 0; k < 4; ++k)
      body.cells.push_back(new_index[static_cast<std::size_t>(mesh.cells[4 * c + k])]);
    body.cell_ids.push_back(static_cast<GlobalIndex>(c));
    body.cell_groups.push_back(mesh.cell_groups[c]);
  }
}

double longest_edge(const BodyMesh& body, LocalIndex cell) {
  double longest = 0.0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) {
      const double* const x =
          &body.points[3 * static_cast<std::size_t>(body.cells[4 * std::size_t(cell) + std::size_t(a)])];
      const double* const y =
          &body.points[3 * static_cast<std::size_t>(body.cells[4 * std::size_t(cell) + std::size_t(b)])];
      longest = std::max(longest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  }
  return longest;
}

void orient_cells(BodyMesh& body, const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context) {
  Offenders flat;
  for (LocalIndex c = 0; c < body.cell_count(); ++c) {
    const double determinant = cell_determinant(body, c);
    const double edge = longest_edge(body, c);
    if (!(std::abs(determinant) > kFlat * edge * edge * edge)) {
      flat.add(cell_tags[static_cast<std::size_t>(body.cell_ids[static_cast<std::size_t>(c)])]);
    } else if (determinant < 0.0) {
      std::swap(body.cells[4 * static_cast<std::size_t>(c) + 2], body.cells[4 * static_cast<std::size_t>(c) + 3]);
      ++body.turned_cells;
    }
  }
  if (flat.count() > 0)
    fail(std::to_string(flat.count()) + " of " + std::to_string(body.cell_count()) +
             " tetrahedra have no volume, with Gmsh tags " + flat.text(),
         context, "Optimize the mesh in Gmsh (Mesh.Optimize = 1), or mesh again with another size.");
  if (body.turned_cells > 0)
    body.warnings.push_back(std::to_string(body.turned_cells) + " of " + std::to_string(body.cell_count()) +
                            " tetrahedra are inverted in the file and were turned");
}

void fill_groups(BodyMesh& body, const ExtractedMesh& mesh, const std::vector<LocalIndex>& new_index,
                 const base::ErrorContext& context) {
  std::set<std::pair<int, std::string>> names;
  for (const ExtractedGroup& group : mesh.groups) {
    PhysicalGroup kept{group.name.empty() ? std::to_string(group.tag) : group.name, group.dimension, group.tag, {}};
    if (!names.emplace(kept.dimension, kept.name).second)
      fail("two physical groups of dimension " + std::to_string(kept.dimension) + " have the name '" + kept.name + "'",
           context, "Give each physical group of a dimension its own name.");
    for (const LocalIndex node : group.nodes) {
      const LocalIndex index = new_index[static_cast<std::size_t>(node)];
      if (index >= 0) kept.nodes.push_back(index);
    }
    if (kept.nodes.empty())
      body.warnings.push_back("the physical group '" + kept.name + "' of dimension " + std::to_string(kept.dimension) +
                              " has no node of a tetrahedron");
    body.groups.push_back(std::move(kept));
  }
}

} // namespace

BodyMesh read_body_mesh(const BodyMeshOptions& options) {
  const base::ErrorContext context = context_of(options);
  check_options(options, context);

  BodyMesh body;
  const ExtractedMesh mesh = load(options, context, body.warnings);
  check_coordinates(mesh, context);
  check_repeated_vertices(mesh, context);

  body.file_nodes = static_cast<GlobalIndex>(mesh.node_tags.size());
  body.file_cells = static_cast<GlobalIndex>(mesh.cell_tags.size());
  std::vector<LocalIndex> new_index(mesh.node_tags.size(), -1);
  fill_nodes_and_cells(body, mesh, new_index);
  apply(options.transform, body.points);
  orient_cells(body, mesh.cell_tags, context);
  fill_groups(body, mesh, new_index, context);
  return body;
}

} // namespace limber::mesh
