#include "app/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <spdlog/spdlog.h>

#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/version.hpp"
#include "assembly/cell_materials.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "dofs/initial.hpp"
#include "dofs/supports.hpp"
#include "mesh/distribute.hpp"
#include "mesh/mesh_report.hpp"
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
    masses.push_back({body.material.density, body.mass, body.damping});
    materials.push_back(body.material);
  }
  std::vector<assembly::MaterialRegion> regions;
  for (std::size_t b = 0; b < options.bodies.size(); ++b)
    for (const auto& part : options.bodies[b].parts) {
      regions.push_back({int(b),
                         part.group,
                         std::int32_t(materials.size()),
                         {.file = part.config_file, .line = part.config_line, .key = part.config_key, .advice = {}}});
      materials.push_back(part.material);
    }
  return std::make_unique<assembly::IncrementalPotential>(mesh, masses, materials,
                                                          assembly::cell_materials(mesh, regions));
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

dofs::Ramp make_ramp(const config::SceneOptions& options) {
  return {options.time.integrator == "static", options.time.ramp, options.time.duration};
}

/// Times at which conditions and loads begin or end.
std::vector<double> switches_of(const std::vector<dofs::ConditionOptions>& conditions) {
  std::vector<double> times;
  for (const auto& condition : conditions) times.insert(times.end(), {condition.from, condition.until});
  return times;
}

/// "quadratic tetrahedra", "triangles 0.001 m thick": what a body is made of.
std::string cells_text(const mesh::BodyInfo& body) {
  std::string text = (body.order == 2 ? "quadratic " : "") + mesh::name_of(mesh::cell_kind(body.kind));
  if (body.kind == mesh::BodyKind::shell) text += fmt::format(" {:g} m thick", body.thickness);
  return text;
}

/// What all cells of the scene are called.
std::string cells_text(const mesh::DistributedMesh& mesh) {
  const auto kind = mesh.bodies.front().kind;
  const bool same = std::all_of(mesh.bodies.begin(), mesh.bodies.end(), [&](const auto& b) { return b.kind == kind; });
  return same ? mesh::name_of(mesh::cell_kind(kind)) : "elements";
}

/// "xx, yy": what a condition acts on, and how.
std::string kind_text(const dofs::ConditionOptions& options) {
  switch (options.kind) {
  case dofs::ConditionKind::fixed:
    return "fixed";
  case dofs::ConditionKind::prescribed:
    return "prescribed";
  case dofs::ConditionKind::traction:
    return "traction";
  case dofs::ConditionKind::pressure:
    return "pressure";
  case dofs::ConditionKind::body_force:
    return "body force";
  }
  return {};
}

} // namespace

Simulation::Simulation(MPI_Comm comm, config::LoadedScene scene)
    : comm_(comm), scene_(std::move(scene)),
      integrator_(scene_.options.time.integrator, scene_.options.time.newmark_beta, scene_.options.time.newmark_gamma),
      mesh_(make_mesh(comm, scene_.options)), potential_(make_potential(mesh_, scene_.options)),
      conditions_(std::make_unique<dofs::Conditions>(mesh_, scene_.options.conditions, make_ramp(scene_.options))),
      loads_(std::make_unique<assembly::Loads>(mesh_, scene_.options.conditions, make_ramp(scene_.options))),
      probe_nodes_(output::find_probe_nodes(mesh_, scene_.options.output.probes)),
      newton_(std::make_unique<solvers::NewtonSolver>(*potential_, scene_.options.solver, integrator_.is_static())),
      state_(make_state(mesh_, scene_.options)),
      control_(scene_.options.time.time_step, scene_.options.time.duration, scene_.options.solver.max_step_halvings) {
  stepper_ = std::make_unique<solvers::TimeStepper>(
      solvers::TimeStepper::Parts{.integrator = integrator_,
                                  .potential = *potential_,
                                  .newton = *newton_,
                                  .conditions = *conditions_,
                                  .loads = *loads_,
                                  .gravity = [this](double time) { return gravity(time); },
                                  .duration = scene_.options.time.duration,
                                  .switches = switches_of(scene_.options.conditions)});
  check_initial_state();
  potential_->refresh_lag(state_.positions);
  if (integrator_.is_static())
    dofs::refuse_free_bodies(mesh_, *conditions_, scene_.options.time.duration,
                             scene_.options.bodies.front().mesh.config_file);
  else
    conditions_->set_initial_velocities(scene_.options.time.time_step, state_.velocities,
                                        !integrator_.has_held_velocities());
}

void Simulation::check_initial_state() const {
  const auto worst = potential_->min_jacobian(state_.positions, true);
  if (worst.cell_id >= 0 && !(worst.jacobian > 0.0))
    throw base::UserError(fmt::format("{} is inverted at the start (det F = {:g}), where its material has no energy",
                                      potential_->cell_name(worst.cell_id), worst.jacobian),
                          {.file = scene_.options.bodies.front().mesh.config_file,
                           .line = 0,
                           .key = "bodies",
                           .advice = "Use positive stretches."});
}

std::string Simulation::describe_conditions() const {
  const auto& o = scene_.options;
  std::string text;
  for (std::size_t c = 0; c < o.conditions.size(); ++c) {
    const auto& condition = o.conditions[c];
    text += fmt::format("  condition {}: {}", condition.name, kind_text(condition));
    const auto& region = loads_->regions()[c];
    if (!condition.is_load()) text += fmt::format(" at {} nodes\n", conditions_->selected()[c]);
    else if (condition.kind == dofs::ConditionKind::body_force)
      text += fmt::format(" on {} {}, {:.4g} m³\n", region.stencils, cells_text(mesh_), region.measure);
    else text += fmt::format(" on {} faces, {:.4g} m²\n", region.stencils, region.measure);
  }
  for (std::size_t p = 0; p < probe_nodes_.size(); ++p) {
    const auto& node = probe_nodes_[p];
    text += fmt::format("  probe {}: node {} of body {} at [{:.6g}, {:.6g}, {:.6g}], {:.3g} m from the point\n",
                        o.output.probes[p].name, node.node_id, o.output.probes[p].body, node.position[0],
                        node.position[1], node.position[2], node.distance);
    if (node.distance > 0.05 * scene_diagonal())
      spdlog::warn("probe {} takes a node {:.3g} m away from its point: check the point, and the scale of the mesh",
                   o.output.probes[p].name, node.distance);
  }
  return text;
}

double Simulation::scene_diagonal() const {
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t n = 0; n < std::size_t(mesh_.owned_nodes); ++n) {
      low = std::min(low, mesh_.rest_positions[3 * n + k]);
      high = std::max(high, mesh_.rest_positions[3 * n + k]);
    }
    square += std::pow(base::global_max(comm_, high) - base::global_min(comm_, low), 2);
  }
  return std::sqrt(square);
}

std::string Simulation::describe() const {
  const auto& o = scene_.options;
  std::string text =
      fmt::format("{}: {} nodes, {} {}, {} unknowns, {} rank{}\n", o.name, mesh_.global_nodes, mesh_.global_cells,
                  cells_text(mesh_), 3 * mesh_.global_nodes, base::size(comm_), base::size(comm_) == 1 ? "" : "s");
  const auto masses = potential_->body_masses();
  for (std::size_t b = 0; b < mesh_.bodies.size(); ++b) {
    const auto& body = mesh_.bodies[b];
    text += fmt::format("  body {}: {} nodes, {} {}, {:.4g} kg, {}", body.name, body.nodes, body.cells,
                        cells_text(body), masses[b], box_text(mesh_, state_.positions, int(b)));
    if (body.pieces > 1) text += fmt::format("; {} separate pieces", body.pieces);
    std::string groups;
    for (const auto& group : mesh_.groups)
      if (group.body == int(b)) groups += (groups.empty() ? "" : ", ") + group.name;
    text += groups.empty() ? "\n" : fmt::format("; groups {}\n", groups);
  }
  return text + describe_conditions() + fmt::format("  linear solver: {}", newton_->linear_solver().name());
}

std::string Simulation::describe_quality() const {
  std::string text;
  double memory = 0.0;
  for (std::size_t b = 0; b < mesh_.bodies.size(); ++b) {
    std::vector<double> bins(10, 0.0); // counts: small integers are exact
    double lowest = 1.0;
    for (LocalIndex c = 0; c < mesh_.counted_cells; ++c) {
      if (std::size_t(mesh_.cell_bodies[std::size_t(c)]) != b) continue;
      std::array<Vector3, 4> corners{};
      for (std::size_t v = 0; v < std::min<std::size_t>(4, mesh_.cell(c).size()); ++v)
        std::copy_n(&mesh_.rest_positions[3 * std::size_t(mesh_.cell(c)[v])], 3, corners[v].begin());
      const double quality = mesh_.bodies[b].kind == mesh::BodyKind::shell
                                 ? mesh::triangle_quality({corners[0], corners[1], corners[2]})
                                 : mesh::tetrahedron_quality(corners);
      lowest = std::min(lowest, quality);
      ++bins[std::size_t(std::clamp(int(10.0 * quality), 0, 9))];
    }
    base::global_sum(comm_, bins);
    lowest = base::global_min(comm_, lowest);
    if (mesh_.bodies[b].kind != mesh::BodyKind::springs) {
      text += fmt::format("  quality of body {} (mean ratio, 1 is best): smallest {:.3g}; {} in tenths from 0:",
                          mesh_.bodies[b].name, lowest, mesh::name_of(mesh::cell_kind(mesh_.bodies[b].kind)));
      for (const double count : bins) text += fmt::format(" {}", std::int64_t(count));
      text += "\n";
    }
    memory += 3.0 * double(mesh_.bodies[b].nodes) *
              (mesh_.bodies[b].order == 2 ? mesh::kBytesPerUnknownP2 : mesh::kBytesPerUnknownP1);
  }
  return text +
         fmt::format("  memory of a run: about {:.2g} GB in all, and on rank 0 as much again while the mesh is read",
                     1e-9 * memory);
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
    // 2. Take the step: minimize its incremental potential, or go explicitly.
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
    write_tables(h, outcome, seconds_since(start));
    if (o.output.checkpoint_every > 0 && (last || state_.step % o.output.checkpoint_every == 0)) write_checkpoint();
    progress.report(state_.step, state_.time,
                    fmt::format("Newton {:>2}  linear {:>4}  residual {:.1e} {}", outcome.newton_iterations,
                                outcome.linear_iterations, outcome.residual, integrator_.is_static() ? "m" : "m/s"));
  }
  return ExitCode::done;
}

Vector3 Simulation::gravity(double time) const {
  const auto& o = scene_.options.time;
  const double factor = make_ramp(scene_.options).factor(o.ramp, time);
  const Vector3 g = o.gravity_at(time);
  if (!std::isfinite(g[0] + g[1] + g[2]))
    throw base::UserError(fmt::format("gravity is not finite at t = {:g} s", time),
                          {.file = scene_.options.bodies.front().mesh.config_file,
                           .line = 0,
                           .key = "simulation.gravity",
                           .advice = "Check its expressions for divisions by zero and the like."});
  return {factor * g[0], factor * g[1], factor * g[2]};
}

solvers::StepOutcome Simulation::advance(double h) {
  base::LogStage stage("Step");
  return stepper_->advance(state_, h);
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
  }
  const std::optional<std::int64_t> restart_step = checkpoint ? std::optional(state_.step) : std::nullopt;
  statistics_ = std::make_unique<output::StatisticsWriter>(comm_, o.output.directory, restart_step);
  std::vector<std::string> names;
  for (const auto& condition : o.conditions) names.push_back(condition.name);
  if (!names.empty())
    condition_forces_ = std::make_unique<output::ConditionForces>(mesh_, o.output.directory, names, restart_step);
  if (!probe_nodes_.empty())
    probes_ = std::make_unique<output::Probes>(mesh_, o.output.directory, o.output.probes, probe_nodes_, restart_step);
  if (checkpoint) return;
  write_frame();
  write_tables(0.0, {}, 0.0);
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
  state_.update_ghosts(mesh_);
  output::discard_checkpoints_after(comm_, scene_.options.output.directory, state_.step);
  spdlog::info("restarted from {} at step {}, t = {:g} s", path, state_.step, state_.time);
}

void Simulation::serialize(base::Archive& archive) {
  state_.serialize(archive);
  control_.serialize(archive);
  frames_->serialize(archive);
  newton_->serialize(archive);
  stepper_->serialize(archive);
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

/// Zero at the start, before any step.
std::vector<double> Simulation::reactions() const {
  const auto owned = 3 * std::size_t(mesh_.owned_nodes);
  auto forces = state_.reactions.values;
  forces.resize(owned, 0.0);
  return forces;
}

void Simulation::write_frame() {
  base::LogStage stage("Output");
  std::vector<output::NamedField> points, cells;
  const auto of_cells = potential_->elastic().cell_fields(state_.positions);
  const auto& fields = scene_.options.output.fields;
  const auto wants = [&](const char* name) { return std::find(fields.begin(), fields.end(), name) != fields.end(); };
  const auto nodal_stress = wants("nodal_stress") || wants("nodal_von_mises")
                                ? potential_->nodal_stress(state_.positions)
                                : std::vector<double>();
  for (const auto& field : fields) {
    if (field == "displacement") {
      points.push_back({field, 3, state_.positions});
      for (std::size_t i = 0; i < mesh_.rest_positions.size(); ++i) points.back().values[i] -= mesh_.rest_positions[i];
    } else if (field == "velocity") {
      points.push_back({field, 3, state_.velocities});
    } else if (field == "nodal_stress") {
      points.push_back({field, 6, nodal_stress});
    } else if (field == "nodal_von_mises") {
      points.push_back({field, 1, assembly::von_mises_of(nodal_stress)});
    } else if (field == "reaction") {
      auto forces = reactions();
      forces.resize(state_.positions.size());
      mesh_.update_ghosts(forces);
      points.push_back({field, 3, std::move(forces)});
    } else if (field == "stress") {
      cells.push_back({field, 6, {}});
      for (const auto& stress : of_cells.stress)
        cells.back().values.insert(cells.back().values.end(), stress.begin(), stress.end());
    } else if (field == "von_mises") {
      cells.push_back({field, 1, of_cells.von_mises});
    } else if (field == "jacobian") {
      cells.push_back({field, 1, of_cells.jacobian});
    }
  }
  frames_->write(state_.time, state_.positions, points, cells);
}

void Simulation::write_tables(double h, const solvers::StepOutcome& outcome, double seconds) {
  base::LogStage stage("Output");
  write_statistics(h, outcome, seconds);
  if (condition_forces_)
    condition_forces_->append(state_.step, state_.time, state_.positions, potential_->constraints().holder, reactions(),
                              loads_->by_condition());
  if (probes_) {
    const auto stress = potential_->nodal_stress(state_.positions);
    probes_->append(state_.step, state_.time, state_.positions, state_.velocities, stress,
                    assembly::von_mises_of(stress));
  }
}

void Simulation::write_statistics(double h, const solvers::StepOutcome& outcome, double seconds) {
  const auto conserved = potential_->conserved(state_, gravity(state_.time));
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
  if (!loads_->empty()) row.load_energy = conserved.loads;
  if (!integrator_.is_static()) {
    row.load_work = state_.ledger.load_work;
    row.boundary_work = state_.ledger.boundary_work;
    row.dissipated_energy = state_.ledger.dissipated;
  }
  row.total_energy = conserved.kinetic + conserved.elastic + conserved.gravity;
  if (!integrator_.is_static())
    row.energy_balance = *row.total_energy + *row.dissipated_energy - *row.load_work - *row.boundary_work;
  row.momentum = conserved.momentum;
  row.angular_momentum = conserved.angular_momentum;
  row.min_jacobian = conserved.min_jacobian;
  statistics_->append(row);
}

} // namespace limber::app
