/// A run that a configuration cannot describe: the inner nodes of a block start at random places, so that some elements
/// keep a few percent of their volume. Writes frames and statistics like the program does.
///
///   scrambled_start DIRECTORY        an existing, empty folder
///
/// Exit codes: 0 done, 2 a step could not be solved.

#include <cstdio>

#include "base/collective.hpp"
#include "integrators/step_control.hpp"
#include "output/directory.hpp"
#include "output/frame_writer.hpp"
#include "output/statistics.hpp"
#include "verification/elastic_body.hpp"

namespace {

using namespace limber;

constexpr double smallest_jacobian = 0.02;

double lowest_jacobian(const mesh::BodyMesh& rest, const mesh::BodyMesh& moved, const std::vector<LocalIndex>& cells) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const LocalIndex c : cells)
    lowest = std::min(lowest, mesh::cell_determinant(moved, c) / mesh::cell_determinant(rest, c));
  return lowest;
}

/// Moves one inner node after the other in a random direction, as far as its elements keep some volume, but no farther
/// than the width of a cube.
std::vector<double> scramble(const test::Box& box, const mesh::BodyMesh& rest) {
  std::vector<std::vector<LocalIndex>> cells_of(std::size_t(rest.node_count()));
  for (LocalIndex c = 0; c < rest.cell_count(); ++c)
    for (std::size_t v = 0; v < 4; ++v) cells_of[std::size_t(rest.cells[4 * std::size_t(c) + v])].push_back(c);
  mesh::BodyMesh moved = rest;
  const auto directions = test::random_numbers(rest.points.size(), 3);
  for (LocalIndex n = 0; n < rest.node_count(); ++n) {
    if (test::on_surface(box, &rest.points[3 * std::size_t(n)])) continue;
    const std::size_t i = 3 * std::size_t(n);
    const std::array<double, 3> from{moved.points[i], moved.points[i + 1], moved.points[i + 2]};
    for (double length = box.size[0] / box.cubes[0]; length > 1e-6; length *= 0.95) {
      for (std::size_t k = 0; k < 3; ++k) moved.points[i + k] = from[k] + length * directions[i + k];
      if (lowest_jacobian(rest, moved, cells_of[std::size_t(n)]) >= smallest_jacobian) break;
    }
  }
  return moved.points;
}

int run(const std::string& directory) {
  const test::Box box{.cubes = {7, 6, 6}, .size = {0.7, 0.6, 0.6}};
  const auto rest = test::make_box(box);
  test::ElasticBody body(rest, {.mu = 4e4, .lambda = 1.6e5, .tolerance = 1e-3, .linear = "auto"});
  body.state.positions = test::to_local(body.mesh, scramble(box, rest));

  const MPI_Comm comm = body.mesh.comm;
  output::prepare_output_directory(comm, directory, "scene", output::DirectoryMode::fresh);
  output::FrameWriter frames(comm, body.mesh, directory, "scene");
  output::StatisticsWriter statistics(comm, directory);
  const auto write = [&](double h, const solvers::StepOutcome& outcome) {
    std::vector<double> displacements = body.state.positions;
    for (std::size_t i = 0; i < displacements.size(); ++i) displacements[i] -= body.mesh.rest_positions[i];
    frames.write(body.state.time, body.state.positions, {{"displacement", 3, displacements}}, {});
    const auto conserved = body.conserved();
    output::StepStatistics row;
    row.step = body.state.step;
    row.time = body.state.time;
    row.time_step = h;
    row.newton_iterations = outcome.newton_iterations;
    row.kinetic_energy = conserved.kinetic;
    row.elastic_energy = conserved.elastic;
    row.min_jacobian = conserved.min_jacobian;
    statistics.append(row);
  };

  write(0.0, {});
  integrators::StepControl control(0.02, 1.0, 8);
  while (!control.finished(body.state.time)) {
    const double h = control.next(body.state.time);
    const auto outcome = body.advance(h);
    if (!outcome.converged) {
      if (base::rank(comm) == 0) std::printf("step of %g s failed: %s\n", h, outcome.reason.c_str());
      if (control.rejected(h)) continue;
      return 2;
    }
    control.accepted();
    write(h, outcome);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || PetscInitialize(&argc, &argv, nullptr, nullptr)) return 1;
  const int code = run(argv[1]);
  PetscFinalize();
  return code;
}
