#pragma once
/// A simulation from its configuration to its files.

#include <memory>
#include <optional>
#include <string>

#include "assembly/incremental_potential.hpp"
#include "assembly/loads.hpp"
#include "base/archive.hpp"
#include "config/load.hpp"
#include "dofs/conditions.hpp"
#include "dofs/state.hpp"
#include "integrators/step_control.hpp"
#include "integrators/table.hpp"
#include "mesh/distributed_mesh.hpp"
#include "output/checkpoint.hpp"
#include "output/condition_forces.hpp"
#include "output/directory.hpp"
#include "output/frame_writer.hpp"
#include "output/probes.hpp"
#include "output/statistics.hpp"
#include "solvers/newton_solver.hpp"
#include "solvers/time_stepper.hpp"

namespace limber::app {

/// What the command line adds to the configuration.
struct RunOptions {
  bool overwrite = false;
  bool restart = false;
  std::string checkpoint; ///< for restart: a file, or empty for the latest in the output folder
  std::string command;    ///< for resolved.yaml
  bool quiet = false;
};

enum class ExitCode { done = 0, user_error = 1, gave_up = 2, io_error = 3, interrupted = 4, internal_error = 5 };

class Simulation {
public:
  /// Reads and distributes the meshes, finds the nodes of all conditions, checks the initial state. Writes nothing.
  /// Throws UserError. Collective.
  Simulation(MPI_Comm comm, config::LoadedScene scene);

  /// Steps through time to the end of the run, writing as it goes. Throws UserError and IoError. Collective.
  ExitCode run(const RunOptions& options);

  /// One time step of size h from the present state; on failure the state is as before. Collective.
  solvers::StepOutcome advance(double h);

  /// What the mesh, the bodies and the conditions amount to, in lines for the user. Collective.
  std::string describe() const;
  /// Quality of the elements at rest, and the memory that a run may need, in lines for the user. Collective.
  std::string describe_quality() const;

  const dofs::State& state() const { return state_; }
  const mesh::DistributedMesh& mesh() const { return mesh_; }

private:
  void start_output(const RunOptions& options);
  std::string checkpoint_to_read(const RunOptions& options) const;
  void restore(output::CheckpointReader& reader, const std::string& path);
  void check_initial_state() const;
  std::string describe_conditions() const;
  double scene_diagonal() const; ///< of the box around all rest positions [m]. Collective.
  void write_frame();
  void write_statistics(double h, const solvers::StepOutcome& outcome, double seconds);
  std::string write_checkpoint();
  void write_tables(double h, const solvers::StepOutcome& outcome, double seconds);
  std::vector<double> reactions() const;
  Vector3 gravity(double time) const;
  bool frame_due(double previous_time) const;
  void serialize(base::Archive& archive);
  ExitCode give_up(const solvers::StepOutcome& outcome);

  MPI_Comm comm_;
  config::LoadedScene scene_;
  integrators::Integrator integrator_;
  mesh::DistributedMesh mesh_;
  std::unique_ptr<assembly::IncrementalPotential> potential_;
  std::unique_ptr<dofs::Conditions> conditions_;
  std::unique_ptr<assembly::Loads> loads_;
  std::vector<output::ProbeNode> probe_nodes_;
  std::unique_ptr<solvers::NewtonSolver> newton_;
  std::unique_ptr<solvers::TimeStepper> stepper_;
  dofs::State state_;
  integrators::StepControl control_;
  std::unique_ptr<output::DirectoryLock> lock_;
  std::unique_ptr<output::FrameWriter> frames_;
  std::unique_ptr<output::StatisticsWriter> statistics_;
  std::unique_ptr<output::ConditionForces> condition_forces_; ///< none without conditions
  std::unique_ptr<output::Probes> probes_;                    ///< none without probes
};

} // namespace limber::app
