#pragma once
/// One time step of any integrator, with what it does to held nodes and the ledger of energies.

#include <functional>
#include <string>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "assembly/loads.hpp"
#include "base/archive.hpp"
#include "dofs/conditions.hpp"
#include "dofs/state.hpp"
#include "integrators/table.hpp"
#include "solvers/mass_solver.hpp"
#include "solvers/newton_solver.hpp"
#include "solvers/step_outcome.hpp"

namespace limber::solvers {

class TimeStepper {
public:
  /// Everything must outlive this object.
  struct Parts {
    const integrators::Integrator& integrator;
    assembly::IncrementalPotential& potential;
    NewtonSolver& newton;
    const dofs::Conditions& conditions;
    assembly::Loads& loads;
    std::function<Vector3(double time)> gravity; ///< [m/s²]
    double duration = 1.0;                       ///< of the run [s]
    std::vector<double> switches{};              ///< times at which conditions and loads begin or end [s]
  };
  explicit TimeStepper(Parts parts);

  /// One step of size h from the state's time. On success the state is that of the end of the step but for its step and
  /// time, which are the caller's; on failure it is as before. Throws UserError where an expression is not finite.
  /// Collective.
  StepOutcome advance(dofs::State& state, double h);

  /// What limits explicit steps, and is not computed anew in every step. Collective.
  void serialize(base::Archive& archive);

private:
  /// What of a step is booked.
  struct Booking {
    const std::vector<double>& positions_t0;
    const std::vector<double>& positions_t1;
    std::vector<double> loads{};     ///< nodal forces [N], 3 per local node
    std::vector<double> reactions{}; ///< forces on held components [N], 3 per owned node; empty: nothing is ever held
    double power = 0.0;              ///< of damping [W]
    double time = 0.0, h = 0.0;      ///< begin and size of the step [s]
  };

  StepOutcome advance_explicit(dofs::State& state, double h);
  /// One stable step of an explicit integrator. \return what went wrong
  std::string sub_step(dofs::State& state, double time, double h, int& iterations);
  /// Accelerations that balance the forces at the state's positions, velocities and time.
  void set_accelerations(dofs::State& state, double h);
  /// Whether a condition or a load began or ended in the last step or at its end.
  bool forces_have_jumped(const dofs::State& state) const;
  /// With a margin [s].
  double stable_step(const dofs::State& state, double h);
  /// What is wrong with positions that no minimization has led to; empty if nothing is. Collective.
  std::string find_fault(const std::vector<double>& positions) const;
  /// Adds the step's works to the ledger. Energy that is lost or won beyond them is the integrator's error.
  void book(dofs::State& state, const Booking& booking) const;

  Parts parts_;
  MassSolver mass_;
  /// Power iteration finds the frequency from below, and it changes until it is estimated anew.
  static constexpr double largest_margin = 0.9;
  double margin_ = largest_margin; ///< of the stable step; halved where a step fails
  double frequency_ = -1.0;        ///< fastest vibration [rad/s]; < 0: to be estimated
  double logged_sub_steps_ = -1.0;
  bool holds_ = false; ///< some condition holds nodes
};

} // namespace limber::solvers
