#include "app/simulation.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <spdlog/spdlog.h>

#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/version.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "dofs/initial.hpp"
#include "integrators/table.hpp"
#include "mesh/distribute.hpp"
#include "output/atomic_file.hpp"

namespace limber::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

mesh::DistributedMesh make_mesh(MPI_Comm comm, const config::SceneOptions& options) {
  base::LogStage stage("Mesh");
  std::vector<mesh::BodyMeshOptions> bodies;
  for (const auto& body : options.bodies) {
    bodies.push_back(body.mesh);
    bodies.back().name = body.name;
  }
  return mesh::read_and_distribute(comm, bodies, {options.parallel.partition, options.parallel.seed});
}

std::unique_ptr<assembly::IncrementalPotential> make_potential(const mesh::DistributedMesh& mesh,
                                                               const config::SceneOptions& options) {
  std::vector<assembly::BodyMass> masses;
  std::vector<materials::MaterialOptions> materials;
  for (const auto& body : options.bodies) {
    masses.push_back({body.material.density, body.mass});
    materials.push_back(body.material);
  }
  return std::make_unique<assembly::IncrementalPotential>(mesh, masses, materials, options.time.gravity);
}

/// The box around a body at these positions. Collective.
std::string box_text(const mesh::DistributedMesh& mesh, const std::vector<double>& positions, int body) {
  std::vector<double> bounds(6, -std::numeric_limits<double>::infinity()); // −min, max
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n)
    for (std::size_t k = 0; k < 3; ++k)
      if (mesh.node_bodies[n] == body) {
        bounds[k] = std::max(bounds[k], -positions[3 * n + k]);
        bounds[3 + k] = std::max(bounds[3 + k], positions[3 * n + k]);
      }
  for (double& bound : bounds) bound = base::global_max(mesh.comm, bound);
  return fmt::format("[{:.4g}, {:.4g}] × [{:.4g}, {:.4g}] × [{:.4g}, {:.4g}] m", -bounds[0], bounds[3], -bounds[1],
                     bounds[4], -bounds[2], bounds[5]);
}

dofs::State make_state(const mesh::DistributedMesh& mesh, const config::SceneOptions& options) {
  std::vector<dofs::InitialOptions> initial;
  for (const auto& body : options.bodies) initial.push_back(body.initial);
  return dofs::initial_state(mesh, initial);
}

} // namespace

Simulation::Simulation(MPI_Comm comm, config::LoadedScene scene)
    : comm_(comm), scene_(std::move(scene)), mesh_(make_mesh(comm, scene_.options)),
      potential_(make_potential(mesh_, scene_.options)),
      conditions_(std::make_unique<dofs::Conditions>(mesh_, scene_.options.conditions)),
      newton_(std::make_unique<solvers::NewtonSolver>(*potential_, scene_.options.solver)),
      state_(make_state(mesh_, scene_.options)),
      control_(scene_.options.time.time_step, scene_.options.time.duration, scene_.options.solver.max_step_halvings) {
  check_initial_state();
  hold_initial_velocities();
}

void Simulation::check_initial_state() const {
  const auto worst = potential_->min_jacobian(state_.positions);
  if (worst.cell_id >= 0 && !(worst.jacobian > 0.0))
    throw base::UserError(fmt::format("{} is inverted at the start (det F = {:g}), and neo_hookean has no energy there",
                                      potential_->cell_name(worst.cell_id), worst.jacobian),
                          {.file = {}, .line = 0, .key = "bodies[].initial", .advice = "Use positive stretches."});
}

void Simulation::hold_initial_velocities() {
  // A node that is held from the start has the velocity of its condition, not of its body.
  const double h = scene_.options.time.time_step;
  const auto constraints = conditions_->constraints(0.0, h);
  for (std::size_t i = 0; i < state_.velocities.size(); ++i)
    if (constraints.held[i]) state_.velocities[i] = constraints.displacement[i] / h;
}

std::string Simulation::describe() const {
  const auto& o = scene_.options;
  std::string text =
      fmt::format("{}: {} nodes, {} tetrahedra, {} unknowns, {} rank{}\n", o.name, mesh_.global_nodes,
                  mesh_.global_cells, 3 * mesh_.global_nodes, base::size(comm_), base::size(comm_) == 1 ? "" : "s");
  const auto masses = potential_->body_masses();
  for (std::size_t b = 0; b < mesh_.bodies.size(); ++b) {
    const auto& body = mesh_.bodies[b];
    text += fmt::format("  body {}: {} nodes, {} tetrahedra, {:.4g} kg, {}", body.name, body.nodes, body.cells,
                        masses[b], box_text(mesh_, state_.positions, int(b)));
    std::string groups;
    for (const auto& group : mesh_.groups)
      if (group.body == int(b)) groups += (groups.empty() ? "" : ", ") + group.name;
    text += groups.empty() ? "\n" : fmt::format("; groups {}\n", groups);
  }
  for (std::size_t c = 0; c < o.conditions.size(); ++c)
    text += fmt::format("  condition {}: {} nodes\n", o.conditions[c].name, conditions_->selected()[c]);
  return text + fmt::format("  linear solver: {}", newton_->linear_solver().name());
}

ExitCode Simulation::run(const RunOptions& options) {
  const auto& o = scene_.options;
  start_output(options);
  spdlog::info(describe());
  if (control_.finished(state_.time))
    spdlog::warn("nothing to do: t = {:g} s is not before simulation.duration, {:g} s", state_.time, o.time.duration);
  Progress progress(comm_, state_.time, o.time.duration, options.quiet);

  while (!control_.finished(state_.time)) {
    // 1. Stop where a signal asks for it, on all ranks together.
    if (base::global_or(comm_, interrupted())) {
      spdlog::warn("interrupted at t = {:g} s; continue with --restart {}", state_.time, write_checkpoint());
      return ExitCode::interrupted;
    }
    // 2. Minimize the incremental potential of the step.
    const auto start = Clock::now();
    const double time_t0 = state_.time, h = control_.next(state_.time);
    const auto outcome = advance(h);
    if (!outcome.converged) {
      spdlog::warn("step {} of {:g} s failed: {}", state_.step + 1, h, outcome.reason);
      if (control_.rejected(h)) continue;
      return give_up(outcome);
    }
    // 3. Accept it.
    state_.time = control_.advance(time_t0, h);
    state_.step += 1;
    control_.accepted();
    // 4. Write.
    const bool last = control_.finished(state_.time);
    if (last || frame_due(time_t0)) write_frame();
    write_statistics(h, outcome, seconds_since(start));
    if (o.output.checkpoint_every > 0 && (last || state_.step % o.output.checkpoint_every == 0)) write_checkpoint();
    progress.report(state_.step, state_.time,
                    fmt::format("Newton {:>2}  linear {:>4}  residual {:.1e} m/s", outcome.newton_iterations,
                                outcome.linear_iterations, outcome.residual));
  }
  return ExitCode::done;
}

solvers::StepOutcome Simulation::advance(double h) {
  base::LogStage stage("Step");
  potential_->start_step(integrators::backward_euler_target(state_.positions, state_.velocities, h),
                         integrators::backward_euler_scale(h), conditions_->constraints(state_.time, h));
  std::vector<double> positions_t1 = state_.positions;
  const auto outcome = newton_->solve(positions_t1, h);
  if (!outcome.converged) return outcome;
  state_.velocities = integrators::backward_euler_velocities(positions_t1, state_.positions, h);
  state_.positions = std::move(positions_t1);
  return outcome;
}

ExitCode Simulation::give_up(const solvers::StepOutcome& outcome) {
  const std::string checkpoint = write_checkpoint();
  spdlog::error("gave up at t = {:g} s after {} halvings of the time step: {}\n"
                "  {} Look at the last frame.\n"
                "  Continue with --restart {}",
                state_.time, scene_.options.solver.max_step_halvings, outcome.reason,
                outcome.advice.empty() ? "Try a smaller simulation.time_step, a looser solver.tolerance or more "
                                         "solver.max_iterations."
                                       : outcome.advice,
                checkpoint);
  return ExitCode::gave_up;
}

void Simulation::start_output(const RunOptions& options) {
  base::LogStage stage("Output");
  const auto& o = scene_.options;
  const auto mode = options.restart     ? output::DirectoryMode::restart
                    : options.overwrite ? output::DirectoryMode::overwrite
                                        : output::DirectoryMode::fresh;
  // Opened before anything is written, so that a wrong --restart changes nothing.
  const std::string path = options.restart ? checkpoint_to_read(options) : std::string();
  std::optional<output::CheckpointReader> checkpoint;
  if (options.restart) checkpoint.emplace(comm_, path, mesh_);
  lock_ = std::make_unique<output::DirectoryLock>(comm_, o.output.directory);
  output::prepare_output_directory(comm_, o.output.directory, o.name, mode);
  base::all_or_throw(comm_, [&] {
    if (base::rank(comm_) != 0) return;
    base::log_to_file(o.output.directory + "/log.txt");
    auto facts = versions();
    facts.emplace_back("ranks", std::to_string(base::size(comm_)));
    facts.emplace_back("command", options.command);
    output::write_file_atomically(o.output.directory + "/resolved.yaml", config::resolved_with_header(scene_, facts));
  });
  frames_ = std::make_unique<output::FrameWriter>(comm_, mesh_, o.output.directory, o.name);
  if (checkpoint) {
    restore(*checkpoint, path);
    statistics_ = std::make_unique<output::StatisticsWriter>(comm_, o.output.directory, state_.step);
  } else {
    statistics_ = std::make_unique<output::StatisticsWriter>(comm_, o.output.directory);
    write_frame();
    write_statistics(0.0, {}, 0.0);
  }
}

std::string Simulation::checkpoint_to_read(const RunOptions& options) const {
  if (!options.checkpoint.empty()) return options.checkpoint;
  const auto& directory = scene_.options.output.directory;
  const auto latest = output::latest_checkpoint(comm_, directory);
  if (!latest)
    throw base::UserError("there is no checkpoint in " + directory + "/checkpoints",
                          {.file = {},
                           .line = 0,
                           .key = "--restart",
                           .advice = "Give the file: --restart PATH, or run without --restart."});
  return *latest;
}

void Simulation::restore(output::CheckpointReader& reader, const std::string& path) {
  serialize(reader);
  mesh_.update_ghosts(state_.positions);
  mesh_.update_ghosts(state_.velocities);
  output::discard_checkpoints_after(comm_, scene_.options.output.directory, state_.step);
  spdlog::info("restarted from {} at step {}, t = {:g} s", path, state_.step, state_.time);
}

void Simulation::serialize(base::Archive& archive) {
  state_.serialize(archive);
  control_.serialize(archive);
  frames_->serialize(archive);
}

std::string Simulation::write_checkpoint() {
  base::LogStage stage("Output");
  return output::write_checkpoint(comm_, mesh_, scene_.options.output.directory, state_.step,
                                  [&](base::Archive& archive) { serialize(archive); });
}

bool Simulation::frame_due(double previous_time) const {
  const auto& o = scene_.options.output;
  if (o.every_seconds <= 0.0) return state_.step % o.every == 0;
  const auto interval = [&](double time) { return std::floor(time / o.every_seconds + 1e-9); };
  return interval(state_.time) > interval(previous_time);
}

void Simulation::write_frame() {
  base::LogStage stage("Output");
  std::vector<output::NamedField> points, cells;
  std::vector<double> von_mises, jacobian;
  potential_->elastic().cell_fields(state_.positions, von_mises, jacobian);
  for (const auto& field : scene_.options.output.fields) {
    if (field == "displacement") {
      points.push_back({field, 3, state_.positions});
      for (std::size_t i = 0; i < mesh_.rest_positions.size(); ++i) points.back().values[i] -= mesh_.rest_positions[i];
    } else if (field == "velocity") {
      points.push_back({field, 3, state_.velocities});
    } else if (field == "von_mises") {
      cells.push_back({field, 1, von_mises});
    } else if (field == "jacobian") {
      cells.push_back({field, 1, jacobian});
    }
  }
  frames_->write(state_.time, state_.positions, points, cells);
}

void Simulation::write_statistics(double h, const solvers::StepOutcome& outcome, double seconds) {
  base::LogStage stage("Output");
  const auto conserved = potential_->conserved(state_);
  output::StepStatistics row;
  row.step = state_.step;
  row.time = state_.time;
  if (state_.step > 0) {
    row.time_step = h;
    row.newton_iterations = outcome.newton_iterations;
    row.linear_iterations = outcome.linear_iterations;
    row.line_search_evaluations = outcome.line_search_evaluations;
    row.residual = outcome.residual;
    row.step_seconds = seconds;
  }
  row.kinetic_energy = conserved.kinetic;
  row.elastic_energy = conserved.elastic;
  row.gravity_energy = conserved.gravity;
  row.total_energy = conserved.kinetic + conserved.elastic + conserved.gravity;
  row.momentum = conserved.momentum;
  row.angular_momentum = conserved.angular_momentum;
  row.min_jacobian = conserved.min_jacobian;
  statistics_->append(row);
}

} // namespace limber::app
