/// Tetrahedra a second on one core, from positions to energy, gradient and 12×12 Hessian, in double and in packs.
/// The data of a few hundred packs stay in the cache: this measures kernels, not memory.

#include <benchmark/benchmark.h>
#include <random>
#include <vector>

#include "energies/inversion_bound.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "materials/neo_hookean.hpp"

namespace {

using namespace limber;

void assign(double& a, int, double value) { a = value; }
template <int W> void assign(math::Pack<W>& a, int lane, double value) { a.set(lane, value); }

/// mixed: most stencils need projection; tension: none does (no decomposition is made); inflated: J > exp(μ/λ), where
/// the stretch block is indefinite too.
enum class Deformation { mixed, tension, inflated };

template <class T> struct Stencils {
  static constexpr int lanes = sizeof(T) / sizeof(double);
  static constexpr int count = 512 / lanes;
  struct Item {
    T x[12], p[12];
    energies::TetrahedronRest<T> rest;
  };
  std::vector<Item> items{count};
  materials::NeoHookean<T> material{T(3.6e4), T(1.4e5)};

  explicit Stencils(Deformation deformation) {
    const double mean_stretch = deformation == Deformation::inflated  ? 1.2
                                : deformation == Deformation::tension ? 1.06
                                                                      : 1;
    const double strain = deformation == Deformation::tension ? 0.01 : 0.08;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> noise(-0.08, 0.08);
    const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (auto& item : items) {
      T X[12];
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 12; ++i) {
          const double rest = corners[i] + noise(random);
          assign(X[i], lane, rest);
          assign(item.x[i], lane, mean_stretch * rest + strain / 0.08 * noise(random));
          assign(item.p[i], lane, noise(random));
        }
      item.rest = energies::make_tetrahedron_rest(X);
    }
  }

  template <class Kernel> void time(benchmark::State& state, const Kernel& kernel) {
    for (auto _ : state)
      for (const auto& item : items) kernel(item);
    state.SetItemsProcessed(state.iterations() * count * lanes);
  }
};

template <class T> void energy(benchmark::State& state) {
  Stencils<T> s(Deformation::mixed);
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(energies::tetrahedron_energy(s.material, item.rest, item.x));
  });
}

template <class T> void energy_gradient(benchmark::State& state) {
  Stencils<T> s(Deformation::mixed);
  T g[12];
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(energies::tetrahedron_energy_gradient(s.material, item.rest, item.x, g));
    benchmark::DoNotOptimize(g);
  });
}

template <class T, Deformation deformation, bool project> void energy_gradient_hessian(benchmark::State& state) {
  Stencils<T> s(deformation);
  T g[12], H[144];
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(
        energies::tetrahedron_energy_gradient_hessian(s.material, item.rest, item.x, project, g, H));
    benchmark::DoNotOptimize(g);
    benchmark::DoNotOptimize(H);
  });
}

template <class T> void may_reach_inversion_bound(benchmark::State& state) {
  Stencils<T> s(Deformation::mixed);
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(math::any(energies::may_reach_inversion_bound(item.x, item.p, T(1.0), 0.1)));
  });
}

void inversion_bound(benchmark::State& state) {
  Stencils<double> s(Deformation::mixed);
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(energies::tetrahedron_inversion_bound(item.x, item.p, 10.0, 0.1));
  });
}

using math::NativePack;

BENCHMARK(energy<double>);
BENCHMARK(energy<NativePack>);
BENCHMARK(energy_gradient<double>);
BENCHMARK(energy_gradient<NativePack>);
BENCHMARK(energy_gradient_hessian<double, Deformation::mixed, false>);
BENCHMARK(energy_gradient_hessian<NativePack, Deformation::mixed, false>);
BENCHMARK(energy_gradient_hessian<double, Deformation::mixed, true>);
BENCHMARK(energy_gradient_hessian<NativePack, Deformation::mixed, true>);
BENCHMARK(energy_gradient_hessian<double, Deformation::tension, true>);
BENCHMARK(energy_gradient_hessian<NativePack, Deformation::tension, true>);
BENCHMARK(energy_gradient_hessian<double, Deformation::inflated, true>);
BENCHMARK(energy_gradient_hessian<NativePack, Deformation::inflated, true>);
BENCHMARK(may_reach_inversion_bound<NativePack>);
BENCHMARK(inversion_bound);

} // namespace
