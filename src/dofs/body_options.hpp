#pragma once
/// Mass, initial values and boundary conditions as the configuration states them.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "dofs/expression.hpp"

namespace limber::dofs {

enum class MassKind { consistent, lumped, per_node };

struct MassOptions {
  MassKind kind = MassKind::consistent;
  double per_node = 0.0; ///< [kg], for MassKind::per_node
};

/// Rayleigh damping: the force −(α M + β K) v, K the stiffness at the start of the step.
struct DampingOptions {
  double mass = 0.0;      ///< α [1/s]
  double stiffness = 0.0; ///< β [s]
};

/// x = about + stretch·(X − about); v = velocity + angular_velocity × (x − about)
struct InitialOptions {
  Vector3 velocity{};         ///< [m/s]
  Vector3 angular_velocity{}; ///< [rad/s]
  Vector3 stretch{1.0, 1.0, 1.0};
  Vector3 about{}; ///< [m]
};

struct SelectGroup {
  std::string name;
};
struct SelectBox {
  Vector3 min{}, max{}; ///< [m], rest positions, bounds included
};
struct SelectSphere {
  Vector3 center{};
  double radius = 0.0;
};
/// Nodes with |(X − point)·normal| ≤ tolerance.
struct SelectPlane {
  Vector3 point{}, normal{};
  double tolerance = 1e-6; ///< [m]
};
struct SelectNodes {
  std::vector<GlobalIndex> ids; ///< zero-based, in the order of the body's file
};
struct SelectAll {};
using Selection = std::variant<SelectAll, SelectGroup, SelectBox, SelectSphere, SelectPlane, SelectNodes>;

enum class ConditionKind { fixed, prescribed, traction, pressure, body_force };

struct ConditionOptions {
  std::string name;
  std::string body;
  Selection where;
  ConditionKind kind = ConditionKind::fixed;
  std::array<bool, 3> components{true, true, true}; ///< x, y, z held by this condition
  bool by_displacement = false;                     ///< prescribed: motion is a displacement, not a velocity
  ExpressionVector motion;  ///< prescribed: velocity [m/s], or displacement from the rest position [m]
  ExpressionVector value;   ///< traction: force per rest area [Pa]; body_force: force per rest volume [N/m³]
  Expression pressure;      ///< [Pa], positive pushes into the body
  std::optional<bool> ramp; ///< static only: instead of TimeOptions::ramp
  double from = 0.0;        ///< [s] takes effect at steps that end after this time
  double until = std::numeric_limits<double>::infinity(); ///< [s] released after this time
  std::string config_file;                                ///< for messages
  std::string config_key;
  int config_line = 0;

  /// True for conditions that push; the others hold.
  bool is_load() const { return kind != ConditionKind::fixed && kind != ConditionKind::prescribed; }
};

} // namespace limber::dofs
