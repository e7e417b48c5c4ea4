#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <vector>

#include "energies/spring.hpp"
#include "support/energy_harness.hpp"

namespace {

using namespace limber;

const double rest_positions[6] = {0.1, 0.2, -0.3, 1.3, 0.1, 0.4};
const energies::SpringStiffness<double> material{5.0};

test::StencilEnergy stencil() {
  const auto rest = energies::make_spring_rest(rest_positions);
  return {.dofs = 6,
          .value = [=](const double* x) { return energies::spring_energy(material, rest, x); },
          .gradient = [=](const double* x, double* g) { energies::spring_energy_gradient(material, rest, x, g); },
          .hessian = [=](const double* x, bool project,
                         double* H) { energies::spring_hessian(material, rest, x, project, H); },
          .projected_reference =
              [=](const double* x, double* H) {
                Eigen::Matrix<double, 6, 6> exact;
                energies::spring_hessian(material, rest, x, false, exact.data());
                Eigen::Map<Eigen::Matrix<double, 6, 6>> result(H);
                result = test::numerical_projection(exact);
              }};
}

/// The rest spring, `ratio` times as long, turned.
std::vector<double> stretched(double ratio) {
  const Eigen::Map<const Eigen::Vector3d> a(rest_positions), b(rest_positions + 3);
  std::vector<double> x{0.4, -0.2, 0.7, 0, 0, 0};
  const Eigen::Vector3d d = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, 3).normalized()) * (ratio * (b - a));
  for (int i = 0; i < 3; ++i) x[std::size_t(3 + i)] = x[std::size_t(i)] + d[i];
  return x;
}

TEST(Spring, passes_the_harness) {
  for (const double ratio : {1.0, 1.4, 3.0, 0.9, 0.6, 0.5, 0.1, 1e-6}) { // indefinite below 1, negative below 0.577
    SCOPED_TRACE(ratio);
    test::check_stencil_energy(stencil(), stretched(ratio));
  }
}

TEST(Spring, has_the_energy_of_the_book) {
  const double X[6] = {0, 0, 0, 3, 4, 0}, x[6] = {1, 1, 1, 1, 1, 11};
  const auto rest = energies::make_spring_rest(X);
  EXPECT_DOUBLE_EQ(energies::spring_energy(material, rest, x), 25.0 * 2.5 * 9.0); // l² k/2 (100/25 − 1)²
  double g[6];
  EXPECT_DOUBLE_EQ(energies::spring_energy_gradient(material, rest, x, g), 25.0 * 2.5 * 9.0);
  EXPECT_DOUBLE_EQ(g[5], 2.0 * 5.0 * 3.0 * 10.0);
  EXPECT_DOUBLE_EQ(g[2], -g[5]);
}

TEST(Spring, is_finite_without_length) {
  const auto rest = energies::make_spring_rest(rest_positions);
  const double x[6] = {1, 2, 3, 1, 2, 3};
  double H[36];
  energies::spring_hessian(material, rest, x, true, H);
  for (const double entry : H) EXPECT_EQ(entry, 0.0);
  EXPECT_DOUBLE_EQ(energies::spring_energy(material, rest, x), 2.5 * rest.length2);
}

TEST(Spring, packs_agree_with_doubles) {
  using math::NativePack;
  const double ratios[] = {1.3, 0.8, 0.3, 1.0, 2.0, 0.58, 0.57, 0.0};
  NativePack X[6], x[6], H[36], g[6];
  for (int lane = 0; lane < math::native_pack_width; ++lane)
    for (int i = 0; i < 6; ++i) {
      X[i].set(lane, rest_positions[i]);
      x[i].set(lane, stretched(ratios[lane])[std::size_t(i)]);
    }
  const energies::SpringStiffness<NativePack> packed{NativePack(5.0)};
  const auto rest = energies::make_spring_rest(X);
  const NativePack energy = energies::spring_energy_gradient(packed, rest, x, g);
  energies::spring_hessian(packed, rest, x, true, H);
  for (int lane = 0; lane < math::native_pack_width; ++lane) {
    double expected[36], force[6];
    const auto single = energies::make_spring_rest(rest_positions);
    const auto positions = stretched(ratios[lane]);
    // A few roundings of numbers of size 10, fused differently.
    EXPECT_NEAR(energy[lane], energies::spring_energy_gradient(material, single, positions.data(), force), 1e-13);
    energies::spring_hessian(material, single, positions.data(), true, expected);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(g[i][lane], force[i], 1e-13);
    for (int i = 0; i < 36; ++i) EXPECT_NEAR(H[i][lane], expected[i], 1e-13);
  }
}

} // namespace
