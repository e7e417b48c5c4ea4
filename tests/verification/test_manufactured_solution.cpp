/// Convergence to a manufactured solution. A step that minimizes ½‖x − x̂‖²_M + s Φ(x) has the strong form
/// ρ(x − x̂) − s div P(∇x) = 0, so that x̂ = x − (s/ρ) div P(∇x) makes any smooth x the solution, without body forces.

#include <array>
#include <gtest/gtest.h>

#include "base/collective.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "materials/neo_hookean.hpp"
#include "verification/elastic_body.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;

constexpr materials::NeoHookean<double> material{1.0, 1.5};

/// Stretches up to 1.5, compressions to 0.6 and shears of 0.3 in the unit cube.
Vector3 solution(const Vector3& X) {
  const auto [a, b, c] = X;
  return {a + 0.15 * std::sin(2.0 * a + 1.0) * std::cos(1.5 * b) + 0.1 * c * c,
          b + 0.2 * std::sin(2.5 * b) * std::cos(a) - 0.1 * a * c, //
          c + 0.15 * std::cos(2.0 * c + a) + 0.1 * std::sin(2.0 * a * b)};
}

Matrix gradient(const Vector3& X) {
  const auto [a, b, c] = X;
  Matrix f;
  f(0, 0) = 1.0 + 0.3 * std::cos(2.0 * a + 1.0) * std::cos(1.5 * b);
  f(0, 1) = -0.225 * std::sin(2.0 * a + 1.0) * std::sin(1.5 * b);
  f(0, 2) = 0.2 * c;
  f(1, 0) = -0.2 * std::sin(2.5 * b) * std::sin(a) - 0.1 * c;
  f(1, 1) = 1.0 + 0.5 * std::cos(2.5 * b) * std::cos(a);
  f(1, 2) = -0.1 * a;
  f(2, 0) = -0.15 * std::sin(2.0 * c + a) + 0.2 * b * std::cos(2.0 * a * b);
  f(2, 1) = 0.2 * a * std::cos(2.0 * a * b);
  f(2, 2) = 1.0 - 0.3 * std::sin(2.0 * c + a);
  return f;
}

/// Σ_j ∂P_ij/∂X_j by central differences of fourth order: errors of 1e-12, far below the discretization's.
Vector3 stress_divergence(const Vector3& X) {
  constexpr double d = 1e-3;
  Vector3 divergence{};
  for (std::size_t j = 0; j < 3; ++j)
    for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      Vector3 Y = X;
      Y[j] += steps * d;
      const auto p = material.stress(gradient(Y));
      for (std::size_t i = 0; i < 3; ++i) divergence[i] += weight / (12.0 * d) * p(int(i), int(j));
    }
  return divergence;
}

/// Points and weights on the reference tetrahedron: Gauss-Legendre with four points along each axis of a cube that is
/// collapsed to the tetrahedron; exact up to degree 5.
struct QuadraturePoint {
  std::array<double, 4> barycentric;
  double weight; ///< they add up to 1
};

std::vector<QuadraturePoint> quadrature() {
  constexpr double nodes[] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263};
  constexpr double weights[] = {0.17392742256872692, 0.32607257743127307, 0.32607257743127307, 0.17392742256872692};
  std::vector<QuadraturePoint> points;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) {
        const double u = nodes[i], v = nodes[j] * (1.0 - u), w = nodes[k] * (1.0 - u - v);
        const double volume = (1.0 - u) * (1.0 - u) * (1.0 - nodes[j]);
        points.push_back({{1.0 - u - v - w, u, v, w}, 6.0 * volume * weights[i] * weights[j] * weights[k]});
      }
  return points;
}

struct Errors {
  double l2 = 0.0; ///< of positions
  double h1 = 0.0; ///< of their gradient
};

Vector3 point(const std::vector<double>& x, LocalIndex node) {
  return {x[3 * std::size_t(node)], x[3 * std::size_t(node) + 1], x[3 * std::size_t(node) + 2]};
}

/// Shape functions and dx/dξ of a cell at a point, of either order.
void shape_at(const std::array<double, 4>& barycentric, std::size_t nodes, double shape[10]) {
  if (nodes == 4) std::copy_n(barycentric.data(), 4, shape);
  else energies::tetrahedron_p2_shape(barycentric.data() + 1, shape);
}

Matrix jacobian_at(const std::array<double, 4>& barycentric, const std::vector<double>& x,
                   std::span<const LocalIndex> cell) {
  double local[30];
  for (std::size_t i = 0; i < 3 * cell.size(); ++i) local[i] = point(x, cell[i / 3])[i % 3];
  return cell.size() == 4 ? energies::tetrahedron_edges(local)
                          : energies::tetrahedron_p2_jacobian(local, barycentric.data());
}

Errors measure(const mesh::DistributedMesh& mesh, const std::vector<double>& x) {
  static const auto points = quadrature();
  std::vector<double> squares(2, 0.0);
  for (LocalIndex c = 0; c < mesh.counted_cells; ++c) {
    const auto cell = mesh.cell(c);
    for (const auto& q : points) {
      const Matrix rest = jacobian_at(q.barycentric, mesh.rest_positions, cell);
      const double det = math::determinant(rest);
      const Matrix f = (1.0 / det) * (jacobian_at(q.barycentric, x, cell) * math::transpose(math::cofactor(rest)));
      double shape[10];
      shape_at(q.barycentric, cell.size(), shape);
      Vector3 X{}, y{};
      for (std::size_t v = 0; v < cell.size(); ++v)
        for (std::size_t i = 0; i < 3; ++i) {
          X[i] += shape[v] * point(mesh.rest_positions, cell[v])[i];
          y[i] += shape[v] * point(x, cell[v])[i];
        }
      const Vector3 exact = solution(X);
      const Matrix difference = f - gradient(X);
      const double weight = q.weight * det / 6.0;
      for (std::size_t i = 0; i < 3; ++i) squares[0] += weight * (y[i] - exact[i]) * (y[i] - exact[i]);
      squares[1] += weight * math::contract(difference, difference);
    }
  }
  base::global_sum(mesh.comm, squares);
  return {std::sqrt(squares[0]), std::sqrt(squares[1])};
}

/// \param stiffness s/ρ [m²/Pa with the material above]
Errors solve(int order, int cubes, double stiffness, const std::string& linear) {
  const test::Box box{.cubes = {cubes, cubes, cubes}, .jitter = 0.15};
  // The step stops at 1e-8 m, and its error after the last step is smaller still.
  const auto made = test::make_box(box);
  test::ElasticBody body(
      order == 1 ? made : test::quadratic(made),
      {.density = 1.0, .mu = material.mu, .lambda = material.lambda, .tolerance = 1e-8, .linear = linear});
  std::vector<double> x, target;
  auto constraints = body.free_constraints();
  for (std::size_t n = 0; n < body.mesh.node_ids.size(); ++n) {
    const Vector3 X = point(body.mesh.rest_positions, LocalIndex(n));
    const Vector3 exact = solution(X), force = stress_divergence(X);
    for (std::size_t i = 0; i < 3; ++i) {
      x.push_back(exact[i]);
      target.push_back(exact[i] - stiffness * force[i]);
      constraints.held[3 * n + i] = test::on_surface(box, &body.mesh.rest_positions[3 * n]) ? 1 : 0;
    }
  }
  body.potential.start_step(
      {.target = target, .scale = stiffness, .gravity = {}, .loads = {}, .constraints = constraints});
  const auto outcome = body.newton.solve(x, 1.0);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  EXPECT_GT(outcome.newton_iterations, 0);
  return measure(body.mesh, x);
}

void expect_rates(int order, double stiffness) {
  std::vector<Errors> errors;
  for (const int cubes : {4, 8, 16})
    errors.push_back(solve(order, cubes / order, stiffness, cubes > 8 ? "cg_amg" : "cholesky"));
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    const double l2 = std::log2(errors[i].l2 / errors[i + 1].l2), h1 = std::log2(errors[i].h1 / errors[i + 1].h1);
    if (base::rank(PETSC_COMM_WORLD) == 0)
      std::printf("order %d, s/rho %g: L2 %.3e -> %.3e (rate %.3f), H1 %.3e -> %.3e (rate %.3f)\n", order, stiffness,
                  errors[i].l2, errors[i + 1].l2, l2, errors[i].h1, errors[i + 1].h1, h1);
    // Rates of elements of that order; 0.15 is for meshes that are not yet in the limit.
    EXPECT_NEAR(l2, order + 1.0, 0.15);
    EXPECT_NEAR(h1, order, 0.15);
  }
}

TEST(ManufacturedSolution, QuadratureIntegratesPolynomials) {
  double sum = 0.0, monomial = 0.0;
  for (const auto& q : quadrature()) {
    sum += q.weight;
    monomial += q.weight * q.barycentric[1] * q.barycentric[1] * q.barycentric[2] * q.barycentric[2] * q.barycentric[3];
  }
  EXPECT_NEAR(sum, 1.0, 1e-14);
  EXPECT_NEAR(monomial, 6.0 * 4.0 / 40320.0, 1e-16); // a! b! c! d! 3! / (a + b + c + d + 3)!
}

TEST(ManufacturedSolution, GradientBelongsToSolution) {
  const Vector3 X{0.3, 0.6, 0.8};
  const Matrix f = gradient(X);
  for (std::size_t j = 0; j < 3; ++j) {
    Vector3 forward = X, backward = X;
    forward[j] += 1e-5;
    backward[j] -= 1e-5;
    for (std::size_t i = 0; i < 3; ++i) // truncation 1e-10
      EXPECT_NEAR((solution(forward)[i] - solution(backward)[i]) / 2e-5, f(int(i), int(j)), 1e-9);
  }
  EXPECT_GT(math::determinant(f), 0.0);
}

TEST(ManufacturedSolution, InertiaAndElasticity) { expect_rates(1, 0.02); }

TEST(ManufacturedSolution, MostlyElasticity) { expect_rates(1, 100.0); }

TEST(ManufacturedSolution, QuadraticInertiaAndElasticity) { expect_rates(2, 0.02); }

TEST(ManufacturedSolution, QuadraticMostlyElasticity) { expect_rates(2, 100.0); }

} // namespace
