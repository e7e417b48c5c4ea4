/// What roofline.py sets measured rates against: memory bandwidth by STREAM's triad (McCalpin, 1995), and floating
/// point operations of the kernels of linear tetrahedra.

#include <benchmark/benchmark.h>
#include <vector>

#include "counted.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "materials/neo_hookean.hpp"

namespace {

using namespace limber;
using math::Counted;

/// a = b + s c in every thread, on arrays that are larger than caches are: 3 · 64 MiB. Bytes as STREAM counts them: two
/// loads and a store, without the line that the store may fetch.
void triad(benchmark::State& state) {
  constexpr std::size_t size = std::size_t(1) << 23;
  std::vector<double> a(size, 0.0), b(size, 1.0), c(size, 2.0);
  const double scale = 3.0;
  for (auto _ : state) {
    double* const to = a.data();
    const double *const from = b.data(), *const scaled = c.data();
#pragma GCC ivdep
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i] + scale * scaled[i];
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::int64_t(3 * sizeof(double) * size));
}

/// A tetrahedron with a projected Hessian that differs from the exact one.
template <class Kernel> void count(benchmark::State& state, const Kernel& kernel) {
  const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double moved[12] = {0, 0, 0, 0.8, 0.1, 0, 0.05, 0.9, 0, 0, 0.1, 0.85};
  Counted X[12], x[12];
  for (int i = 0; i < 12; ++i) {
    X[i] = Counted(rest[i]);
    x[i] = Counted(moved[i]);
  }
  const auto data = energies::make_tetrahedron_rest(X);
  const materials::NeoHookean<Counted> material{Counted(3.6e4), Counted(1.4e5)};
  for (auto _ : state) {
    Counted::operations = 0;
    kernel(material, data, x);
  }
  state.counters["operations"] = double(Counted::operations);
}

/// The gradient alone, as where the energy is not used.
void count_gradient(benchmark::State& state) {
  count(state, [](const auto& material, const auto& rest, const Counted x[12]) {
    Counted g[12];
    energies::detail::tetrahedron_forces(rest, material.stress(energies::deformation_gradient(rest, x)), g);
    benchmark::DoNotOptimize(g);
  });
}

template <bool project> void count_hessian(benchmark::State& state) {
  count(state, [](const auto& material, const auto& rest, const Counted x[12]) {
    Counted H[144];
    energies::tetrahedron_hessian(material, rest, x, project, H);
    benchmark::DoNotOptimize(H);
  });
}

BENCHMARK(triad)->ThreadRange(1, 4)->UseRealTime();
BENCHMARK(count_gradient)->Iterations(1);
BENCHMARK(count_hessian<false>)->Iterations(1);
BENCHMARK(count_hessian<true>)->Iterations(1);

} // namespace
