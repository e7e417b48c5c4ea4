#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "energies/tetrahedron_p1.hpp"
#include "materials/neo_hookean.hpp"
#include "materials/stable_neo_hookean.hpp"
#include "support/energy_harness.hpp"

namespace {

using namespace limber;
using Rest = energies::TetrahedronRest<double>;
using Material = materials::NeoHookean<double>;

const double rest_positions[12] = {0.1, 0.2, -0.3, 1.3, 0.1, 0.0, 0.2, 1.1, 0.15, -0.1, 0.3, 0.9};
const Material material{3.0, 7.0};

/// The harness's view; the projected reference is V Gᵀ C⁺ G with C⁺ from a 9×9 eigen-solver.
template <class M> test::StencilEnergy as_stencil(const M& m, const Rest& rest) {
  return {.dofs = 12,
          .value = [=](const double* x) { return energies::tetrahedron_energy(m, rest, x); },
          .gradient = [=](const double* x, double* g) { energies::tetrahedron_energy_gradient(m, rest, x, g); },
          .hessian = [=](const double* x, bool project,
                         double* H) { energies::tetrahedron_hessian(m, rest, x, project, H); },
          .projected_reference =
              [=](const double* x, double* H) {
                Eigen::Matrix<double, 9, 9> C;
                m.stress_derivative(energies::deformation_gradient(rest, x), C.data());
                Eigen::Matrix<double, 9, 12> G; // F is linear in the positions
                for (int i = 0; i < 12; ++i) {
                  double unit[12] = {};
                  unit[i] = 1.0;
                  G.col(i) =
                      Eigen::Map<const Eigen::Matrix<double, 9, 1>>(energies::deformation_gradient(rest, unit).m);
                }
                Eigen::Map<Eigen::Matrix<double, 12, 12>> result(H);
                result = rest.volume * G.transpose() * test::numerical_projection(C) * G;
              }};
}

/// Positions F X + t.
std::vector<double> deformed(const Eigen::Matrix3d& f) {
  std::vector<double> x(12);
  for (int v = 0; v < 4; ++v)
    Eigen::Vector3d::Map(&x[3 * v]) =
        f * Eigen::Map<const Eigen::Vector3d>(&rest_positions[3 * v]) + Eigen::Vector3d(0.2, -0.1, 0.4);
  return x;
}

struct Case {
  const char* name;
  Eigen::Matrix3d f;
  double length; ///< see check_stencil_energy
};

std::vector<Case> cases() {
  const auto diagonal = [](double a, double b, double c) {
    return Eigen::Matrix3d(Eigen::Vector3d(a, b, c).asDiagonal());
  };
  const auto turn = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 1, 2).normalized()).toRotationMatrix();
  Eigen::Matrix3d generic;
  generic << 1.1, 0.3, -0.2, 0.15, 0.8, 0.4, -0.25, 0.1, 1.3;
  return {{"rest", Eigen::Matrix3d::Identity(), 1.0},
          {"turned", turn, 1.0},
          {"generic", generic, 1.0},
          {"stretched", turn * diagonal(2.5, 1.2, 0.8) * turn, 1.0},
          {"inflated", diagonal(1.5, 1.4, 1.6), 1.0},
          {"compressed", turn * diagonal(0.6, 0.7, 0.5), 0.5},
          {"flat", turn * diagonal(1.0, 1.1, 0.02), 0.02},
          {"nearly inverted", diagonal(1.0, 0.9, 1e-4) * turn, 1e-4}};
}

TEST(TetrahedronP1, passes_the_harness) {
  const auto rest = energies::make_tetrahedron_rest(rest_positions);
  for (const auto& c : cases()) {
    SCOPED_TRACE(c.name);
    test::check_stencil_energy(as_stencil(material, rest), deformed(c.f), c.length);
  }
}

TEST(TetrahedronP1, passes_the_harness_with_stable_neo_hookean_inverted_too) {
  const auto rest = energies::make_tetrahedron_rest(rest_positions);
  const materials::StableNeoHookean<double> stable{3.0, 10.0};
  auto all = cases();
  const Eigen::Matrix3d mirror = Eigen::Vector3d(1.1, -0.7, 0.9).asDiagonal();
  all.push_back({"inverted", all[2].f * mirror, 1.0});
  all.push_back({"collapsed to a line", Eigen::Vector3d(1.2, 0.0, 0.0).asDiagonal(), 1.0});
  all.push_back({"collapsed to a point", Eigen::Matrix3d::Zero(), 1.0});
  for (const auto& c : all) {
    SCOPED_TRACE(c.name);
    test::check_stencil_energy(as_stencil(stable, rest), deformed(c.f), 1.0); // polynomial: no shorter length
  }
}

TEST(TetrahedronP1, rest_data_and_deformation_gradient) {
  const auto rest = energies::make_tetrahedron_rest(rest_positions);
  EXPECT_NEAR(rest.volume, 0.22, 1e-15); // mass_matrices.json, one_tet
  for (const auto& c : cases()) {
    const auto x = deformed(c.f);
    const auto f = energies::deformation_gradient(rest, x.data());
    // Differences of positions of size 1, divided by edges of size 1.
    EXPECT_LE((Eigen::Map<const Eigen::Matrix3d>(f.m) - c.f).cwiseAbs().maxCoeff(), 1e-14) << c.name;
    EXPECT_NEAR(energies::tetrahedron_energy(material, rest, x.data()), rest.volume * material.energy(f), 0.0);
  }
}

TEST(TetrahedronP1, wrong_vertex_order_has_negative_volume) {
  double swapped[12];
  for (int i = 0; i < 12; ++i) swapped[i] = rest_positions[i < 3 ? i + 3 : i < 6 ? i - 3 : i];
  EXPECT_NEAR(energies::make_tetrahedron_rest(swapped).volume, -0.22, 1e-15);
}

TEST(TetrahedronP1, fused_variant_equals_the_single_ones) {
  const auto rest = energies::make_tetrahedron_rest(rest_positions);
  for (const auto& c : cases())
    for (const bool project : {false, true}) {
      const auto x = deformed(c.f);
      double g[12], H[144], fused_g[12], fused_H[144];
      const double energy = energies::tetrahedron_energy_gradient(material, rest, x.data(), g);
      energies::tetrahedron_hessian(material, rest, x.data(), project, H);
      const double fused =
          energies::tetrahedron_energy_gradient_hessian(material, rest, x.data(), project, fused_g, fused_H);
      // The same operations; fused multiply-adds may differ by inlining.
      const auto scale = Eigen::Map<const Eigen::Matrix<double, 144, 1>>(H).cwiseAbs().maxCoeff();
      EXPECT_NEAR(fused, energy, 1e-14 * (1.0 + energy));
      for (int i = 0; i < 12; ++i) EXPECT_NEAR(fused_g[i], g[i], 1e-13 * scale);
      for (int i = 0; i < 144; ++i) EXPECT_NEAR(fused_H[i], H[i], 1e-13 * scale);
    }
}

TEST(TetrahedronP1, hessian_is_symmetric_bitwise) {
  const auto rest = energies::make_tetrahedron_rest(rest_positions);
  for (const auto& c : cases())
    for (const bool project : {false, true}) {
      Eigen::Matrix<double, 12, 12> H;
      energies::tetrahedron_hessian(material, rest, deformed(c.f).data(), project, H.data());
      EXPECT_EQ(H, H.transpose().eval()) << c.name;
    }
}

TEST(TetrahedronP1, packs_are_lane_independent_and_agree_with_doubles) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  const materials::NeoHookean<NativePack> packed{NativePack(3.0), NativePack(7.0)};
  const auto all = cases();
  const int count = static_cast<int>(all.size());
  const auto load = [&](int shift, NativePack X[12], NativePack x[12]) { // case (lane + shift) in each lane
    for (int lane = 0; lane < width; ++lane) {
      const auto positions = deformed(all[(lane + shift) % count].f);
      for (int i = 0; i < 12; ++i) {
        X[i].set(lane, rest_positions[i]);
        x[i].set(lane, positions[i]);
      }
    }
  };
  std::vector<std::vector<double>> first(count); // the first result of each case, then required bitwise
  for (int shift = 0; shift < count; ++shift) {
    NativePack X[12], x[12], g[12], H[144];
    load(shift, X, x);
    const auto rest = energies::make_tetrahedron_rest(X);
    const NativePack energy = energies::tetrahedron_energy_gradient_hessian(packed, rest, x, true, g, H);
    for (int lane = 0; lane < width; ++lane) {
      const int which = (lane + shift) % count;
      std::vector<double> result{energy[lane]};
      for (const auto& entry : g) result.push_back(entry[lane]);
      for (const auto& entry : H) result.push_back(entry[lane]);
      if (first[which].empty()) first[which] = result;
      EXPECT_EQ(result, first[which]) << all[which].name << ", lane " << lane;

      double scalar_g[12], scalar_H[144];
      const double scalar =
          energies::tetrahedron_energy_gradient_hessian(material, energies::make_tetrahedron_rest(rest_positions),
                                                        deformed(all[which].f).data(), true, scalar_g, scalar_H);
      // F differs in its last bit where the compiler fuses differently; the Hessian, up to 1e8, amplifies.
      const double scale = Eigen::Map<const Eigen::Matrix<double, 144, 1>>(scalar_H).cwiseAbs().maxCoeff();
      const double tolerance = (1e-13 + 1e-15 / all[which].length) * scale;
      EXPECT_NEAR(result[0], scalar, tolerance);
      for (int i = 0; i < 12; ++i) EXPECT_NEAR(result[1 + i], scalar_g[i], tolerance);
      for (int i = 0; i < 144; ++i) EXPECT_NEAR(result[13 + i], scalar_H[i], tolerance);
    }
  }
}

} // namespace
