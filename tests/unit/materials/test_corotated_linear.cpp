#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "materials/corotated_linear.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;

/// R of the reference: a turn about z.
template <class T> materials::CorotatedLinear<T> with_reference_rotation() {
  materials::CorotatedLinear<T> material{T(3.0), T(7.0)};
  const double r[9] = {0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
  for (int i = 0; i < 9; ++i) material.rotation.m[i] = T(r[i]);
  return material;
}

const auto material = test::view([]<class T>() { return with_reference_rotation<T>(); });

TEST(CorotatedLinear, agrees_with_the_reference) { test::check_material(material, "corotated_linear_fixed_R"); }

TEST(CorotatedLinear, passes_the_common_checks) {
  test::check_common(material, {.turns = false, .stress_free = false});
}

TEST(CorotatedLinear, takes_the_rotation_of_the_polar_decomposition) {
  const Matrix stretch{{1.2, 0.1, -0.2, 0.1, 0.8, 0.15, -0.2, 0.15, 1.1}}; // symmetric, positive definite
  Matrix turn;
  Eigen::Map<Eigen::Matrix3d>(turn.m) =
      Eigen::AngleAxisd(2.9, Eigen::Vector3d(1, -2, 2).normalized()).toRotationMatrix();
  materials::CorotatedLinear<double> lagged{3.0, 7.0};
  lagged.set_lag(turn * stretch);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(lagged.rotation.m[i], turn.m[i], 1e-14); // a few ulp
  EXPECT_NEAR(lagged.energy(turn * stretch), (materials::Linear<double>{3.0, 7.0}.energy(stretch)), 1e-14);
  // From rest by the lagged rotation: no stress.
  for (const double p : lagged.stress(turn).m) EXPECT_NEAR(p, 0.0, 1e-13); // round-off of R times moduli of size 20
}

TEST(CorotatedLinear, takes_a_rotation_where_the_state_is_singular_or_inverted) {
  for (const Matrix& f : {Matrix{{1, 0, 0, 0, 1, 0, 0, 0, -1}}, Matrix{{1, 0, 0, 0, 0, 0, 0, 0, 0}}, Matrix{},
                          Matrix{{-0.5, 0, 0, 0, -0.7, 0, 0, 0, -2}}}) {
    materials::CorotatedLinear<double> lagged{3.0, 7.0};
    lagged.set_lag(f);
    const auto product = lagged.rotation * math::transpose(lagged.rotation);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(product.m[i], i % 4 == 0 ? 1.0 : 0.0, 1e-14);
    EXPECT_NEAR(math::determinant(lagged.rotation), 1.0, 1e-14);
  }
}

} // namespace
