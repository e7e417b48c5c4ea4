#pragma once
/// Boundary conditions that hold: which components of which nodes are prescribed, and where they go in a step.

#include <cstdint>
#include <utility>
#include <vector>

#include "dofs/body_options.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::dofs {

/// How the values of conditions depend on pseudo-time; the factor is 1 in dynamics.
struct Ramp {
  bool is_static = false;
  bool by_default = true; ///< for conditions that do not say
  double duration = 1.0;  ///< [s]

  double factor(bool ramped, double time) const { return is_static && ramped ? time / duration : 1.0; }
  double factor(const ConditionOptions& options, double time) const {
    return factor(options.ramp.value_or(by_default), time);
  }
};

/// What holds during one step, per local degree of freedom (3 per local node, ghosts included).
struct Constraints {
  std::vector<std::uint8_t> held;   ///< 1: the component is prescribed
  std::vector<double> displacement; ///< [m] from the start of the step to its end; 0 where not held
  std::vector<std::int32_t> holder; ///< index of the first of the conditions that hold the component last; −1: none
  bool any_motion = false;          ///< some held component moves in this step, on any rank
};

/// How held components move at the end of a step: 3 per local node, 0 where nothing is held.
struct HeldMotion {
  std::vector<double> velocity;     ///< [m/s]
  std::vector<double> acceleration; ///< [m/s²]
};

class Conditions {
public:
  /// Finds the nodes of every condition that is fixed or prescribed; loads are left alone. Throws UserError when a
  /// condition names an unknown body or group, selects no node, or when two conditions move the same component of a
  /// node differently at the same time (compared at the begin, the middle and the end of the time they share).
  /// Collective.
  Conditions(const mesh::DistributedMesh& mesh, const std::vector<ConditionOptions>& options, const Ramp& ramp);

  /// The step from `time` to `time + h`. A condition counts if its interval [from, until] overlaps the step; velocities
  /// then act for the time of the overlap, displacements hold at its end; conditions that take turns within the step
  /// add up. In statics only what holds at the end of the step counts. Throws UserError where an expression is not
  /// finite. Collective.
  /// \param positions at `time`, 3 per local node [m]
  Constraints constraints(double time, double h, const std::vector<double>& positions) const;

  /// Velocity and acceleration of the components that constraints() holds in the step, as their conditions have them at
  /// its end (or where they end within it). Those of expressions by differences of fourth order within the step.
  /// Throws UserError where an expression is not finite. Collective.
  HeldMotion held_motion(double time, double h) const;

  /// Gives held components the velocity that their conditions have in the first step of size h; ghosts included. Throws
  /// UserError where an expression is not finite. Collective.
  /// \param velocities 3 per local node [m/s]
  /// \param mean of the step; otherwise at its begin
  void set_initial_velocities(double h, std::vector<double>& velocities, bool mean = true) const;

  /// Which components are held at a time: 3 per local node.
  std::vector<std::uint8_t> held_at(double time) const;
  /// Times at which a condition begins or ends, increasing.
  std::vector<double> switches() const;

  /// Selected nodes of each condition over all ranks; 0 for loads. By the index of the options.
  const std::vector<GlobalIndex>& selected() const { return selected_; }

private:
  struct Condition {
    ConditionOptions options;
    std::int32_t index;            ///< of the options
    std::vector<LocalIndex> nodes; ///< local, ghosts included
  };
  void refuse_contradictions() const;
  /// Velocity or displacement of a component of a node at a time.
  double motion(const Condition& condition, std::size_t component, double time, const double* X) const;
  /// Velocity and acceleration at `to`, by values between `from` and `to` alone; `from` may be the later time.
  std::pair<double, double> motion_at(const Condition& condition, std::size_t component, double from, double to,
                                      const double* X) const;
  /// ∫ of the velocity over [begin, end].
  double travel(const Condition& condition, std::size_t component, double begin, double end, const double* X) const;

  const mesh::DistributedMesh& mesh_;
  Ramp ramp_;
  std::vector<Condition> conditions_;
  std::vector<GlobalIndex> selected_;
};

} // namespace limber::dofs
