/// Patch test: what elements can represent exactly, they must find exactly, on any mesh: affine maps.

#include <gtest/gtest.h>

#include "assembly/cell_materials.hpp"
#include "base/collective.hpp"
#include "math/matrix3.hpp"
#include "verification/elastic_body.hpp"

namespace {

using namespace limber;

/// x = F X + t with stretches 1.6, 0.8 and 1.1, a shear of 0.5 and a rotation of 40° about a skew axis.
struct AffineMap {
  double f[3][3];
  Vector3 shift{0.3, -0.2, 0.5};

  AffineMap() {
    const double c = std::cos(40.0 * M_PI / 180.0), s = std::sin(40.0 * M_PI / 180.0),
                 a[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    const double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    const double u[3][3] = {{1.6, 0.5, 0.0}, {0.0, 0.8, 0.2}, {0.0, 0.0, 1.1}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        f[i][j] = 0.0;
        for (int k = 0; k < 3; ++k)
          f[i][j] += ((i == k ? c : 0.0) + (1.0 - c) * a[i] * a[k] + s * cross[i][k]) * u[k][j];
      }
  }
  std::vector<double> operator()(const std::vector<double>& rest) const {
    std::vector<double> x(rest.size());
    for (std::size_t n = 0; n < rest.size(); n += 3)
      for (std::size_t i = 0; i < 3; ++i)
        x[n + i] = shift[i] + f[i][0] * rest[n] + f[i][1] * rest[n + 1] + f[i][2] * rest[n + 2];
    return x;
  }
};

/// The same box seen in a mirror: cubes are cut along other diagonals.
mesh::BodyMesh mirrored(mesh::BodyMesh body, double width) {
  for (std::size_t i = 0; i < body.points.size(); i += 3) body.points[i] = width - body.points[i];
  for (std::size_t c = 0; c < body.cells.size(); c += 4) std::swap(body.cells[c + 2], body.cells[c + 3]);
  return body;
}

/// Moves the surface of a box to its affine image, from rest, and returns the largest error of all nodes.
/// \param scale βh²: how much elasticity there is beside the inertia that draws nodes to `target`; 0: statics
double error_of_patch(const test::Box& box, const mesh::BodyMesh& made, const std::string& model,
                      const std::string& linear, double scale, bool target_is_exact) {
  test::ElasticBody body(
      made, {.model = model, .density = 1.0, .mu = 1.0, .lambda = 2.0, .tolerance = 1e-10, .linear = linear});
  const auto exact = AffineMap()(body.mesh.rest_positions);
  body.potential.refresh_lag(exact); // a constant rotation, for the material that has one
  auto constraints = body.free_constraints();
  constraints.any_motion = true;
  for (std::size_t n = 0; n < body.mesh.node_ids.size(); ++n)
    if (test::on_surface(box, &body.mesh.rest_positions[3 * n]))
      for (std::size_t i = 3 * n; i < 3 * n + 3; ++i) {
        constraints.held[i] = 1;
        constraints.displacement[i] = exact[i] - body.mesh.rest_positions[i];
      }
  const std::vector<double> target = target_is_exact ? exact : body.mesh.rest_positions;
  body.potential.start_step({.inertia = scale > 0.0,
                             .target = target,
                             .scale = scale == 0.0 ? 1.0 : scale,
                             .gravity = {},
                             .loads = {},
                             .constraints = constraints});
  auto x = body.mesh.rest_positions;
  const auto outcome = body.newton.solve(x, 1.0);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
  return base::global_max(body.mesh.comm, error);
}

/// Edge nodes inside the unit box move by up to a hundredth, those on its surface stay.
void bend(double* X) {
  const double X0[3] = {X[0], X[1], X[2]};
  for (int k = 0; k < 3; ++k) {
    double inside = 1.0;
    for (const double x : X0) inside *= 4.0 * x * (1.0 - x);
    X[k] += 0.02 * inside * std::sin(40.0 * X0[(k + 1) % 3] + 10.0 * k);
  }
}

// Round-off of positions (1e-16 of a few meters) times the condition of the matrix, below 1e3 for these meshes.
constexpr double round_off = 1e-12;

class Patch : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Materials, Patch,
                         ::testing::Values("arap", "corotated_linear", "fixed_corotated", "linear", "mooney_rivlin",
                                           "neo_hookean", "quartic", "quartic_volume", "st_venant_kirchhoff",
                                           "stable_neo_hookean", "symmetric_dirichlet", "symmetric_gradient"),
                         [](const auto& info) { return info.param; });

TEST_P(Patch, AffineDataGiveTheAffineMap) {
  for (const bool mirror : {false, true}) {
    const test::Box box{.cubes = {5, 4, 3}, .size = {1.0, 0.9, 0.7}, .jitter = 0.16};
    const auto made = mirror ? mirrored(test::make_box(box), box.size[0]) : test::make_box(box);
    EXPECT_LE(error_of_patch(box, made, GetParam(), "cholesky", 1.0, true), round_off) << "mirrored: " << mirror;
  }
}

TEST_P(Patch, Statics) {
  const test::Box box{.cubes = {4, 4, 4}, .jitter = 0.16};
  EXPECT_LE(error_of_patch(box, test::make_box(box), GetParam(), "cholesky", 0.0, false), round_off);
}

TEST_P(Patch, QuadraticElements) {
  const test::Box box{.cubes = {3, 3, 3}, .jitter = 0.16};
  const auto straight = test::quadratic(test::make_box(box)), curved = test::quadratic(test::make_box(box), bend);
  EXPECT_LE(error_of_patch(box, straight, GetParam(), "cholesky", 0.0, false), round_off);
  EXPECT_LE(error_of_patch(box, curved, GetParam(), "cholesky", 0.0, false), round_off);
  EXPECT_LE(error_of_patch(box, curved, GetParam(), "cholesky", 1.0, true), round_off);
}

/// Two halves in series, pulled along x without Poisson's effect: the strains are as the compliances.
TEST(PatchMaterials, TwoInOneBody) {
  const test::Box box{.cubes = {4, 3, 2}, .jitter = 0.0}; // the interface is a plane
  const auto mesh = test::distribute({test::make_box(box)});
  const auto of_modulus = [](double modulus) {
    return materials::MaterialOptions{.model = "linear", .density = 1.0, .lame_mu = 0.5 * modulus};
  };
  assembly::IncrementalPotential potential(mesh, {{1.0, {}}}, {of_modulus(1.0), of_modulus(3.0)},
                                           assembly::cell_materials(mesh, {{0, "high", 1, {}}}));
  solvers::NewtonSolver newton(potential, {.tolerance = 1e-10, .linear = "cholesky", .petsc_options = {}});
  std::vector<double> exact = mesh.rest_positions;
  dofs::Constraints constraints{.held = std::vector<std::uint8_t>(exact.size(), 0),
                                .displacement = std::vector<double>(exact.size(), 0.0),
                                .holder = std::vector<std::int32_t>(exact.size(), -1)};
  constraints.any_motion = true;
  for (std::size_t i = 0; i < exact.size(); i += 3) {
    const double X = exact[i];
    exact[i] += 0.15 * std::min(X, 0.5) + 0.05 * std::max(X - 0.5, 0.0);
    if (!test::on_surface(box, &mesh.rest_positions[i])) continue;
    for (std::size_t k = i; k < i + 3; ++k) {
      constraints.held[k] = 1;
      constraints.displacement[k] = exact[k] - mesh.rest_positions[k];
    }
  }
  potential.start_step(
      {.inertia = false, .target = {}, .scale = 1.0, .gravity = {}, .loads = {}, .constraints = constraints});
  auto x = mesh.rest_positions;
  const auto outcome = newton.solve(x, 1.0);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
  EXPECT_LE(base::global_max(mesh.comm, error), round_off);
}

TEST(PatchSolvers, WithLittleInertia) {
  // Inertia draws to the rest shape with a force of 1e-15 of the elastic ones.
  const test::Box box{.cubes = {4, 4, 4}, .jitter = 0.16};
  EXPECT_LE(error_of_patch(box, test::make_box(box), "neo_hookean", "cholesky", 1e15, false), round_off);
}

TEST(PatchSolvers, ByConjugateGradients) {
  // Every Newton step reduces the error by the relative tolerance of CG, 1e-5, until it is below 1e-10 of a meter.
  const test::Box box{.cubes = {5, 4, 3}, .size = {1.0, 0.9, 0.7}, .jitter = 0.16};
  EXPECT_LE(error_of_patch(box, test::make_box(box), "neo_hookean", "cg_amg", 1.0, true), 1e-11);
}

} // namespace
