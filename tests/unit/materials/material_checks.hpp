#pragma once
/// What every material must satisfy. Wrap it with view() and call check_common().

#include <functional>

#include "math/matrix3.hpp"

namespace limber::test {

/// A material behind plain functions, so that the checks are compiled once.
class MaterialView {
public:
  using Matrix = math::Matrix3<double>;
  static constexpr int width = math::native_pack_width;
  struct Lane {
    double energy;
    Matrix stress;
    double projected[81];
  };

  bool infinite_at_inversion = false;
  std::function<double(const Matrix&)> energy;
  std::function<Matrix(const Matrix&)> stress;
  std::function<void(const Matrix&, double* C)> stress_derivative;
  std::function<void(const Matrix&, double* C)> projected_stress_derivative;
  std::function<void(const Matrix f[], Lane lanes[])> packed; ///< of the pack's width
};

/// \param make a generic lambda: make.operator()<T>() is the material for the scalar T
template <class Make> MaterialView view(const Make& make) {
  using Pack = math::NativePack;
  using Matrix = MaterialView::Matrix;
  const auto m = make.template operator()<double>();
  const auto packed = make.template operator()<Pack>();
  return {.infinite_at_inversion = m.infinite_at_inversion,
          .energy = [=](const Matrix& f) { return m.energy(f); },
          .stress = [=](const Matrix& f) { return m.stress(f); },
          .stress_derivative = [=](const Matrix& f, double* C) { m.stress_derivative(f, C); },
          .projected_stress_derivative = [=](const Matrix& f, double* C) { m.projected_stress_derivative(f, C); },
          .packed =
              [=](const Matrix f[], MaterialView::Lane lanes[]) {
                math::Matrix3<Pack> g;
                for (int i = 0; i < 9; ++i)
                  for (int lane = 0; lane < MaterialView::width; ++lane) g.m[i].set(lane, f[lane].m[i]);
                Pack C[81];
                packed.projected_stress_derivative(g, C);
                const auto p = packed.stress(g);
                const Pack psi = packed.energy(g);
                for (int lane = 0; lane < MaterialView::width; ++lane) {
                  lanes[lane].energy = psi[lane];
                  for (int i = 0; i < 9; ++i) lanes[lane].stress.m[i] = p.m[i][lane];
                  for (int i = 0; i < 81; ++i) lanes[lane].projected[i] = C[i][lane];
                }
              }};
}

struct Expectations {
  double mu = 0.0, lambda = 0.0; ///< of linear elasticity at small strain
  bool turns = true;             ///< invariant under rotations
  bool stress_free = true;       ///< at F = I
  bool smooth = true; ///< false: with a crease where the two smallest stretches add up to zero, as |F − R|² has
};

/// Differences, symmetry, invariance, small strain, projection, packs.
void check_common(const MaterialView& material, const Expectations& expected);

} // namespace limber::test
