/// Tetrahedra a second on one core, from positions to energy, gradient and Hessian (12×12 if linear, 30×30 if
/// quadratic), in double and in packs. The data of a few hundred packs stay in the cache: this measures kernels, not
/// memory.

#include <benchmark/benchmark.h>
#include <random>
#include <vector>

#include "energies/inversion_bound.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "materials/neo_hookean.hpp"
#include "materials/stable_neo_hookean.hpp"

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

/// Quadratic tetrahedra near the unit one, deformed so that most quadrature points need projection.
/// \tparam Points of energies::QuadratureP2: edges are straight at rest with the affine rule, else bent
template <class T, int Points> struct QuadraticStencils {
  static constexpr int lanes = sizeof(T) / sizeof(double);
  static constexpr int count = 64 / lanes;
  struct Item {
    T x[30];
    energies::TetrahedronP2Rest<T, Points> rest;
  };
  std::vector<Item> items{count};

  QuadraticStencils() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> noise(-0.08, 0.08);
    const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double bend = Points == energies::QuadratureP2::affine ? 0.0 : 0.2;
    for (auto& item : items) {
      T X[30];
      for (int lane = 0; lane < lanes; ++lane) {
        double rest[30];
        for (int i = 0; i < 12; ++i) rest[i] = corners[i] + noise(random);
        for (int i = 12; i < 30; ++i) {
          const int edge = i / 3 - 4, k = i % 3;
          rest[i] = 0.5 * (rest[3 * energies::tetrahedron_edge_vertex(edge, 0) + k] +
                           rest[3 * energies::tetrahedron_edge_vertex(edge, 1) + k]) +
                    bend * noise(random);
        }
        for (int i = 0; i < 30; ++i) {
          assign(X[i], lane, rest[i]);
          assign(item.x[i], lane, rest[i] + 0.3 * noise(random));
        }
      }
      item.rest = energies::make_tetrahedron_p2_rest<Points>(X);
    }
  }
};

template <class T, template <class> class Material, int Points, bool project>
void quadratic_gradient_hessian(benchmark::State& state) {
  const QuadraticStencils<T, Points> s;
  const Material<T> material{T(3.6e4), T(1.4e5)};
  T g[30], H[900];
  for (auto _ : state)
    for (const auto& item : s.items) {
      benchmark::DoNotOptimize(
          energies::tetrahedron_p2_energy_gradient_hessian(material, item.rest, item.x, project, g, H));
      benchmark::DoNotOptimize(g);
      benchmark::DoNotOptimize(H);
    }
  state.SetItemsProcessed(state.iterations() * s.count * s.lanes);
}

template <class T> void stable_gradient_hessian(benchmark::State& state) {
  Stencils<T> s(Deformation::mixed);
  const materials::StableNeoHookean<T> material{T(3.6e4), T(1.4e5)};
  T g[12], H[144];
  s.time(state, [&](const auto& item) {
    benchmark::DoNotOptimize(energies::tetrahedron_energy_gradient_hessian(material, item.rest, item.x, true, g, H));
    benchmark::DoNotOptimize(g);
    benchmark::DoNotOptimize(H);
  });
}

using energies::QuadratureP2;
using materials::NeoHookean;
using materials::StableNeoHookean;
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
BENCHMARK(stable_gradient_hessian<NativePack>);
BENCHMARK(quadratic_gradient_hessian<double, NeoHookean, QuadratureP2::affine, true>);
BENCHMARK(quadratic_gradient_hessian<NativePack, NeoHookean, QuadratureP2::affine, false>);
BENCHMARK(quadratic_gradient_hessian<NativePack, NeoHookean, QuadratureP2::affine, true>);
BENCHMARK(quadratic_gradient_hessian<NativePack, NeoHookean, QuadratureP2::barrier, true>);
BENCHMARK(quadratic_gradient_hessian<NativePack, NeoHookean, QuadratureP2::curved, true>);
BENCHMARK(quadratic_gradient_hessian<double, StableNeoHookean, QuadratureP2::affine, true>);
BENCHMARK(quadratic_gradient_hessian<NativePack, StableNeoHookean, QuadratureP2::affine, false>);
BENCHMARK(quadratic_gradient_hessian<NativePack, StableNeoHookean, QuadratureP2::affine, true>);
BENCHMARK(quadratic_gradient_hessian<NativePack, StableNeoHookean, QuadratureP2::curved, true>);
BENCHMARK(may_reach_inversion_bound<NativePack>);
BENCHMARK(inversion_bound);

} // namespace
