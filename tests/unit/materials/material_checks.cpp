#include "unit/materials/material_checks.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "math/svd3.hpp"
#include "support/energy_harness.hpp"

namespace limber::test {
namespace {

using Matrix = MaterialView::Matrix;
using Matrix9 = Eigen::Matrix<double, 9, 9>;

Matrix diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

Matrix rotation(double angle, const Eigen::Vector3d& axis) {
  Matrix q;
  Eigen::Map<Eigen::Matrix3d>(q.m) = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return q;
}

Matrix9 derivative(const MaterialView& material, const Matrix& f, bool project) {
  Matrix9 C;
  if (project) material.projected_stress_derivative(f, C.data());
  else material.stress_derivative(f, C.data());
  return C;
}

/// Random F of mean stretch `stretch`; of positive determinant where the material asks for it.
Matrix random_deformation(const MaterialView& material, std::mt19937& random, double stretch, double noise) {
  std::normal_distribution<double> normal;
  Matrix f;
  do
    for (int i = 0; i < 9; ++i) f.m[i] = (i % 4 == 0 ? stretch : 0.0) + noise * normal(random);
  while (material.infinite_at_inversion && math::determinant(f) < 0.02);
  return f;
}

struct Case {
  const char* name;
  Matrix f;
  double length; ///< of energy_harness.hpp
};

std::vector<Case> cases(const MaterialView& material) {
  const auto turn = rotation(1.1, {1, 1, 2}), other = rotation(-0.6, {2, 0, 1});
  std::vector<Case> all{
      {"rest", math::identity<double>(), 1.0},
      {"turned", turn, 1.0},
      {"generic", {{1.1, 0.15, -0.25, 0.3, 0.8, 0.1, -0.2, 0.4, 1.3}}, 1.0},
      {"stretched", turn * diagonal(2.5, 1.2, 0.8) * other, 1.0},
      {"two equal stretches", turn * diagonal(1.3, 1.3, 0.8) * other, 1.0},
      {"inflated", diagonal(1.5, 1.4, 1.6), 1.0},
      {"compressed", turn * diagonal(0.6, 0.7, 0.5) * other, 0.5},
      {"equally compressed", diagonal(0.6, 0.6, 0.6), 0.5},
      {"flat", turn * diagonal(1.0, 1.1, 0.02), material.infinite_at_inversion ? 0.02 : 1.0},
      {"nearly inverted", diagonal(1.0, 0.9, 1e-4) * turn, material.infinite_at_inversion ? 1e-4 : 1.0}};
  if (!material.infinite_at_inversion) all.push_back({"inverted", turn * diagonal(1.4, 1.2, -0.3) * other, 0.5});
  return all;
}

void check_derivatives(const MaterialView& material) {
  for (const auto& c : cases(material)) {
    SCOPED_TRACE(c.name);
    const auto as_matrix = [](const double* x) {
      Matrix f;
      std::copy(x, x + 9, f.m);
      return f;
    };
    const StencilEnergy energy{.dofs = 9,
                               .value = [&](const double* x) { return material.energy(as_matrix(x)); },
                               .gradient =
                                   [&](const double* x, double* g) {
                                     const auto p = material.stress(as_matrix(x));
                                     std::copy(p.m, p.m + 9, g);
                                   },
                               .hessian =
                                   [&](const double* x, bool project, double* H) {
                                     if (project) material.projected_stress_derivative(as_matrix(x), H);
                                     else material.stress_derivative(as_matrix(x), H);
                                   },
                               .projected_reference =
                                   [&](const double* x, double* H) {
                                     Eigen::Map<Matrix9> result(H);
                                     result = numerical_projection(derivative(material, as_matrix(x), false));
                                   },
                               .rigid_invariant = false};
    check_stencil_energy(energy, {c.f.m, c.f.m + 9}, c.length);
  }
}

/// Ψ(QF) = Ψ(F) = Ψ(FQ), P(QF) = Q P(F).
void check_rotations(const MaterialView& material) {
  const auto turn = rotation(2.3, {-1, 2, 0.5});
  for (const auto& c : cases(material)) {
    SCOPED_TRACE(c.name);
    // Turning rounds F by 1e-16 of its size, which dP/dF turns into stress and energy; ten operations.
    const double round_off = 1e-14 * derivative(material, c.f, false).cwiseAbs().maxCoeff();
    const double psi = material.energy(c.f), energy_round_off = 3.0 * round_off + 1e-14 * std::abs(psi);
    EXPECT_NEAR(material.energy(turn * c.f), psi, energy_round_off);
    EXPECT_NEAR(material.energy(c.f * turn), psi, energy_round_off);
    const auto turned = turn * material.stress(c.f), p = material.stress(turn * c.f);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(p.m[i], turned.m[i], 3.0 * round_off);
  }
}

void check_small_strain(const MaterialView& material, double mu, double lambda) {
  const auto C = derivative(material, math::identity<double>(), false);
  const auto id = [](int a, int b) { return a == b ? 1.0 : 0.0; };
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
      const double expected = lambda * id(i, j) * id(k, l) + mu * (id(i, k) * id(j, l) + id(i, l) * id(j, k));
      EXPECT_NEAR(C(a, b), expected, 1e-14 * (mu + std::abs(lambda))) << a << " " << b; // small numbers, few operations
    }
  EXPECT_NEAR(material.energy(math::identity<double>()), 0.0, 1e-30);
  for (const double p : material.stress(math::identity<double>()).m) EXPECT_NEAR(p, 0.0, 1e-15 * mu);
}

/// The energy of a small strain is the work done up to it. P has 16 digits of numbers of size μ, that is 10 of its own
/// at a strain of 1e-6; an energy that cancels terms of size μ would have 4.
void check_digits(const MaterialView& material) {
  const Matrix direction{{0.3, 0.5, -0.2, 0.1, -0.7, 0.4, 0.6, -0.3, 0.9}};
  const double strain = 1e-6, middle = std::sqrt(0.6);
  const auto power = [&](double t) {
    const auto start = math::identity<double>(), f = start + (strain * t) * direction;
    return math::contract(material.stress(f), f - start) / t; // f − start is exact
  };
  // Gauss's rule with three points on [0, 1]: exact for work that is a polynomial of the fifth degree.
  const double work = (5.0 * power(0.5 - 0.5 * middle) + 8.0 * power(0.5) + 5.0 * power(0.5 + 0.5 * middle)) / 18.0;
  const auto end = math::identity<double>() + strain * direction;
  EXPECT_NEAR(material.energy(end), work, 3e-9 * work);
}

void expect_nearest_semi_definite(const MaterialView& material, const Matrix& f) {
  const auto C = derivative(material, f, false), projected = derivative(material, f, true);
  // Round-off of the eigen-solver and of the decomposition, about 1e-14 each.
  EXPECT_LE((projected - numerical_projection(C)).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff());
  EXPECT_EQ(projected, projected.transpose().eval());
}

void check_projection(const MaterialView& material, const Expectations& expected) {
  std::mt19937 random(17);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const double stretch = (material.infinite_at_inversion ? 0.6 : 0.1) + 0.1 * (i % 12);
    expect_nearest_semi_definite(material, random_deformation(material, random, stretch, i % 3 ? 0.25 : 0.03));
  }
  const auto turn = rotation(0.8, {1, -2, 2});
  for (const double a : {0.5, 0.8, 1.0, 1.2, 3.0})
    for (const double b : {0.5, 0.8, 1.0, 1.2, 3.0})
      for (const auto& f : {diagonal(a, a, a), diagonal(a, a, b), diagonal(b, a, a), diagonal(a, -b, -b)}) {
        SCOPED_TRACE(testing::Message() << "F " << f.m[0] << " " << f.m[4] << " " << f.m[8]);
        expect_nearest_semi_definite(material, f);
        expect_nearest_semi_definite(material, turn * f * math::transpose(turn));
      }
  if (material.infinite_at_inversion) return;
  for (const auto& f : {diagonal(1, 0.5, 0), diagonal(1, 0, 0), diagonal(0, 0, 0), diagonal(1, 1, -1),
                        diagonal(0.4, 0.4, -0.4), diagonal(2, 0.3, -0.3), diagonal(-1, -1, -1), diagonal(2, 0.3, -0.2)})
    for (const auto& g : {f, turn * f, f * turn}) {
      SCOPED_TRACE(testing::Message() << "F " << f.m[0] << " " << f.m[4] << " " << f.m[8]);
      EXPECT_TRUE(std::isfinite(material.energy(g)));
      for (const double p : material.stress(g).m) EXPECT_LE(std::abs(p), 1e3); // moduli and stretches of size ten
      const auto projected = derivative(material, g, true);
      EXPECT_LE(projected.cwiseAbs().maxCoeff(), 1e3);
      EXPECT_TRUE(derivative(material, g, false).allFinite());
      const Eigen::SelfAdjointEigenSolver<Matrix9> eigen(projected, Eigen::EigenvaluesOnly);
      EXPECT_GE(eigen.eigenvalues()[0], -1e-12); // round-off of dP/dF, a hundred at most
      if (expected.smooth) expect_nearest_semi_definite(material, g);
    }
}

/// A stencil's result must be the same bits wherever it is evaluated: in any lane, beside any other stencil; and the
/// numbers are those of the scalar.
void check_packs(const MaterialView& material) {
  constexpr int width = MaterialView::width;
  std::mt19937 random(19);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    Matrix mixed[width], alone[width];
    const int chosen = i % width, other = (i + 1) % width;
    for (int lane = 0; lane < width; ++lane) { // near rest, compressed, inflated; at rest
      const int kind = (lane + i / width) % 4;
      const double stretch = kind == 0 ? 1.04 : kind == 1 ? 0.8 : 1.4;
      mixed[lane] = kind == 3 ? math::identity<double>()
                              : random_deformation(material, random, stretch, kind == 0 ? 0.005 : 0.15);
    }
    for (auto& f : alone) f = mixed[chosen];
    MaterialView::Lane in_mixed[width], in_alone[width];
    material.packed(mixed, in_mixed);
    material.packed(alone, in_alone);
    const auto &a = in_mixed[chosen], &b = in_alone[other];
    EXPECT_EQ(a.energy, b.energy);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(a.stress.m[k], b.stress.m[k]);
    for (int k = 0; k < 81; ++k) EXPECT_EQ(a.projected[k], b.projected[k]);
    // The same operations, but the compiler may fuse other multiplications and additions.
    const auto expected = derivative(material, mixed[chosen], true);
    const double scale = expected.cwiseAbs().maxCoeff();
    for (int k = 0; k < 81; ++k) EXPECT_NEAR(a.projected[k], expected.data()[k], 1e-12 * scale);
    const auto p = material.stress(mixed[chosen]);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(a.stress.m[k], p.m[k], 1e-13 * scale);
    const double psi = material.energy(mixed[chosen]);
    EXPECT_NEAR(a.energy, psi, 1e-13 * (scale + psi));
  }
}

void check_barrier(const MaterialView& material) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& f : {diagonal(1, 1, 0), diagonal(1, 1, -0.5), diagonal(0, 0, 0), diagonal(-1, -1, -1)})
    EXPECT_EQ(material.energy(f), infinity) << f.m[0] << " " << f.m[4] << " " << f.m[8];
  EXPECT_LT(material.energy(diagonal(-1, -1, 1)), 1e-13); // a rotation
  double previous = 0.0;
  for (const double stretch : {0.5, 1e-2, 1e-4, 1e-8}) {
    const double psi = material.energy(diagonal(1, 1, stretch));
    EXPECT_GT(psi, previous);
    EXPECT_LT(psi, infinity);
    previous = psi;
  }
  Matrix lanes[MaterialView::width];
  for (auto& f : lanes) f = math::identity<double>();
  lanes[0].m[8] = -1.0; // only lane 0 is inverted
  MaterialView::Lane result[MaterialView::width];
  material.packed(lanes, result);
  EXPECT_EQ(result[0].energy, infinity);
  EXPECT_EQ(result[1].energy, 0.0);
}

} // namespace

void check_common(const MaterialView& material, const Expectations& expected) {
  check_derivatives(material);
  if (expected.turns) check_rotations(material);
  if (expected.stress_free) {
    check_small_strain(material, expected.mu, expected.lambda);
    check_digits(material);
  }
  check_projection(material, expected);
  check_packs(material);
  if (material.infinite_at_inversion) check_barrier(material);
}

} // namespace limber::test
