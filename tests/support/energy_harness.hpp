#pragma once
/// One harness for every stencil energy: wrap it as a StencilEnergy and call check_stencil_energy at some positions.
/// Checked: value → gradient → Hessian by finite differences, symmetry, invariance under rigid motions, zero net force
/// and moment, the projected Hessian positive semi-definite and no smaller than the exact one, and, where given, equal
/// to a numerical eigen-projection.

#include <Eigen/Dense>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace limber::test {

/// Callables over plain arrays; positions are vertex-major with three components a node.
struct StencilEnergy {
  int dofs = 0;
  std::function<double(const double* x)> value;
  std::function<void(const double* x, double* g)> gradient;                 ///< g[dofs]
  std::function<void(const double* x, bool project, double* H)> hessian;    ///< H[dofs²], entry (a, b) at a + dofs b
  std::function<void(const double* x, double* H)> projected_reference = {}; ///< optional: an independent projection
  bool rigid_invariant = true;
};

/// The symmetric matrix with its negative eigenvalues set to zero.
inline Eigen::MatrixXd numerical_projection(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
}

namespace detail {

inline Eigen::VectorXd gradient(const StencilEnergy& e, const Eigen::VectorXd& x) {
  Eigen::VectorXd g(e.dofs);
  e.gradient(x.data(), g.data());
  return g;
}

inline Eigen::MatrixXd hessian(const StencilEnergy& e, const Eigen::VectorXd& x, bool project) {
  Eigen::MatrixXd H(e.dofs, e.dofs);
  e.hessian(x.data(), project, H.data());
  return H;
}

/// Central differences with one Richardson step: error O(h⁴).
template <class F> auto difference(const F& f, const Eigen::VectorXd& x, int i, double h) {
  const auto central = [&](double step) {
    Eigen::VectorXd forward = x, backward = x;
    forward[i] += step;
    backward[i] -= step;
    return ((f(forward) - f(backward)) / (forward[i] - backward[i])).eval();
  };
  return ((4.0 * central(0.5 * h) - central(h)) / 3.0).eval();
}

inline void check_derivatives(const StencilEnergy& e, const Eigen::VectorXd& x, double length) {
  const Eigen::VectorXd g = gradient(e, x);
  const Eigen::MatrixXd H = hessian(e, x, false);
  ASSERT_TRUE(g.allFinite());
  ASSERT_TRUE(H.allFinite());
  const double H_scale = H.cwiseAbs().maxCoeff();
  const double g_scale = g.cwiseAbs().maxCoeff() + H_scale * length;
  // Truncation (h/length)⁴ = 1e-12 times a derivative's growth (5!/4 and the like), round-off 1e-16 length/h = 1e-13
  // times the ratio of terms to result: 1e-8 leaves room for both and is far below any wrong term.
  const double tolerance = 1e-8, h = 1e-3 * length;
  const auto value = [&](const Eigen::VectorXd& y) { return Eigen::Array<double, 1, 1>(e.value(y.data())); };
  const auto slope = [&](const Eigen::VectorXd& y) { return gradient(e, y); };
  for (int i = 0; i < e.dofs; ++i) {
    EXPECT_NEAR(difference(value, x, i, h)(0), g[i], tolerance * g_scale) << "gradient, component " << i;
    const Eigen::VectorXd column = difference(slope, x, i, h);
    EXPECT_LE((column - H.col(i)).cwiseAbs().maxCoeff(), tolerance * H_scale) << "Hessian, column " << i;
  }
  // Kernels may add the same terms in another order on either side of the diagonal.
  EXPECT_LE((H - H.transpose()).cwiseAbs().maxCoeff(), 1e-14 * H_scale) << "symmetry";
}

inline void check_rigid_motions(const StencilEnergy& e, const Eigen::VectorXd& x) {
  const int nodes = e.dofs / 3;
  const Eigen::Matrix3d R = (Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()) *
                             Eigen::AngleAxisd(-1.9, Eigen::Vector3d(1, 2, -1).normalized()))
                                .toRotationMatrix();
  const Eigen::Vector3d t(0.3, -0.8, 0.5);
  const Eigen::VectorXd g = gradient(e, x);
  const Eigen::MatrixXd H = hessian(e, x, false);
  Eigen::VectorXd moved(e.dofs), turned(e.dofs);
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
  for (int n = 0; n < nodes; ++n) {
    moved.segment<3>(3 * n) = R * x.segment<3>(3 * n) + t;
    turned.segment<3>(3 * n) = R * g.segment<3>(3 * n);
    force += g.segment<3>(3 * n);
    moment += x.segment<3>(3 * n).cross(g.segment<3>(3 * n));
  }
  // The motion rounds positions by 1e-16 of their size, which the Hessian turns into force and energy; a factor 1e3
  // covers the number of operations.
  const double size = x.cwiseAbs().maxCoeff() + t.norm();
  const double H_round = 1e-13 * H.cwiseAbs().maxCoeff();
  const double g_round = 1e-13 * g.cwiseAbs().maxCoeff() + H_round * size;
  EXPECT_NEAR(e.value(moved.data()), e.value(x.data()), 1e-13 * std::abs(e.value(x.data())) + g_round * size)
      << "value";
  EXPECT_LE((gradient(e, moved) - turned).cwiseAbs().maxCoeff(), g_round) << "the gradient turns along";
  EXPECT_LE(force.cwiseAbs().maxCoeff(), g_round) << "net force";
  EXPECT_LE(moment.cwiseAbs().maxCoeff(), g_round * size) << "net moment";
  for (int i = 0; i < 3; ++i) {
    Eigen::VectorXd translation = Eigen::VectorXd::Zero(e.dofs);
    for (int n = 0; n < nodes; ++n) translation[3 * n + i] = 1.0;
    EXPECT_LE((H * translation).cwiseAbs().maxCoeff(), 10.0 * H_round) << "Hessian, translation along " << i;
  }
}

inline void check_projection(const StencilEnergy& e, const Eigen::VectorXd& x) {
  const Eigen::MatrixXd H = hessian(e, x, false), projected = hessian(e, x, true);
  ASSERT_TRUE(projected.allFinite());
  const double scale = H.cwiseAbs().maxCoeff();
  // Round-off of a matrix product and of the eigen-solver, about 1e-15 each.
  const double tolerance = 1e-13 * scale;
  const auto smallest = [](const Eigen::MatrixXd& m) {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues()[0];
  };
  EXPECT_LE((projected - projected.transpose()).cwiseAbs().maxCoeff(), 1e-14 * scale) << "symmetry, projected";
  EXPECT_GE(smallest(projected), -tolerance) << "projected Hessian";
  EXPECT_GE(smallest(projected - H), -tolerance) << "a projection only lifts eigenvalues";
  if (!e.projected_reference) return;
  Eigen::MatrixXd reference(e.dofs, e.dofs);
  e.projected_reference(x.data(), reference.data());
  // Eigenvalues near zero may be clamped on one side only; they are round-off themselves.
  EXPECT_LE((projected - reference).cwiseAbs().maxCoeff(), 1e-12 * scale) << "numerical projection";
}

} // namespace detail

/// \param x positions in the energy's domain
/// \param length the length over which the energy changes by its own size [m], for instance the height that a flat
///        element has left; sets the step of the differences
inline void check_stencil_energy(const StencilEnergy& energy, const std::vector<double>& x, double length = 1.0) {
  ASSERT_EQ(static_cast<int>(x.size()), energy.dofs);
  const Eigen::VectorXd positions = Eigen::Map<const Eigen::VectorXd>(x.data(), energy.dofs);
  detail::check_derivatives(energy, positions, length);
  if (energy.rigid_invariant) detail::check_rigid_motions(energy, positions);
  detail::check_projection(energy, positions);
}

} // namespace limber::test
