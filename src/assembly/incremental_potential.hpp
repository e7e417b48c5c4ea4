#pragma once
/// E(x) = ½ ‖x − x̂‖²_M + β h² Φ(x), Φ = elastic + gravity + loads + damping: what an implicit time step minimizes
/// (docs/design.md); a static step minimizes Φ.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/block_matrix.hpp"
#include "assembly/elastic_term.hpp"
#include "assembly/energy_difference.hpp"
#include "assembly/mass_matrix.hpp"
#include "assembly/nodal_sparsity.hpp"
#include "assembly/rayleigh_damping.hpp"
#include "dofs/conditions.hpp"
#include "dofs/state.hpp"

namespace limber::assembly {

/// Energies without h² and momenta, over all ranks.
struct Conserved {
  double kinetic = 0.0, elastic = 0.0, gravity = 0.0; ///< [J]
  double loads = 0.0;                                 ///< −Σ f·(x − X) with the loads of the last step [J]
  Vector3 momentum{};                                 ///< Σ m v [kg m/s]
  Vector3 angular_momentum{};                         ///< Σ x × m v about the origin [kg m²/s]
  std::optional<double> min_jacobian;                 ///< none where there are only springs
};

/// What is particular to one step.
struct StepProblem {
  bool inertia = true;        ///< false in statics
  std::vector<double> target; ///< x̂ [m], 3 per local node, ghosts valid; not used without inertia
  double scale = 1.0;         ///< β h² [s²]; 1 in statics
  Vector3 gravity{};          ///< [m/s²]
  std::vector<double> loads;  ///< nodal forces [N], 3 per local node, valid at owned ones; or empty
  dofs::Constraints constraints;
  // Damping adds ½ ĥ vᵀ C v with v = (x − x_v)/ĥ to Φ; nothing without an x_v.
  double velocity_time = 1.0;            ///< ĥ [s]
  std::vector<double> velocity_origin{}; ///< x_v [m], 3 per local node, ghosts valid; or empty
};

class IncrementalPotential {
public:
  /// \param masses one per body
  /// \param materials one per body, then those that only `cells` names
  /// \param cells per local cell, index into `materials`; empty: each is its body's
  /// The mesh must outlive this object. Collective.
  IncrementalPotential(const mesh::DistributedMesh& mesh, const std::vector<BodyMass>& masses,
                       const std::vector<materials::MaterialOptions>& materials,
                       const std::vector<std::int32_t>& cells = {});

  /// Sets what materials keep from the last accepted state from that state's positions, 3 per local node with ghosts
  /// valid: to be called before each step. Not collective.
  void refresh_lag(const std::vector<double>& x);
  /// Whether some material keeps anything; the same on every rank.
  bool is_lagged() const { return lagged_; }
  /// x of the last refresh_lag(); empty if not is_lagged().
  const std::vector<double>& lag_positions() const { return lag_positions_; }
  /// What one step minimizes, and what is held in it. Not collective.
  void start_step(StepProblem problem);
  /// Takes the stiffness for damping from x; before start_step(). Collective.
  void lag_damping(const std::vector<double>& x) { damping_.lag(elastic_, matrix_, x); }
  /// What the held components still have to move, as a fraction of what it was.
  void scale_held_displacement(double factor);

  // Below: positions x and steps p are 3 per local node with ghosts valid.

  /// Makes x the reference of difference(). Not collective.
  void set_base(const std::vector<double>& x);
  /// E(x) − E(base), +infinity or NaN outside the domain. Collective.
  EnergyDifference difference(const std::vector<double>& x) const;
  /// ∂E/∂x, zero for held components. \param g 3 per owned node. Not collective.
  void gradient(const std::vector<double>& x, double* g);
  /// Forces that hold the held components [N]: ∂E/∂x / βh² there, zero elsewhere; 3 per owned node. With inertia they
  /// include what accelerates the held nodes. Not collective.
  std::vector<double> reactions(const std::vector<double>& x);
  /// What accelerates: −∂(elastic + gravity + loads)/∂x − C v [N], 3 per owned node. Not collective.
  void forces(const std::vector<double>& x, const std::vector<double>& v, std::vector<double>& f);
  /// vᵀ C v [W]; 0 without damping. Collective.
  double damping_power(const std::vector<double>& v) const;
  /// √(Σ |load|² + Σ |reaction|²) as of the last gradient [N]: what a residual is compared with. Collective.
  double force_norm() const;
  /// Assembles the Hessian into matrix(): held components have their own positive diagonal entry and nothing else.
  /// Also sets lifting(). Collective.
  void assemble_hessian(const std::vector<double>& x, bool project);
  /// H_fD u_D of the last assembled Hessian, 3 per owned node: what moving the held nodes adds to the gradient.
  const std::vector<double>& lifting() const { return lifting_; }
  /// Largest α ≤ 1 without inversion, over all ranks. Collective.
  double max_step_size(const std::vector<double>& x, const std::vector<double>& p) const;

  /// What is not finite at x, or so large that norms are not, in words; empty if nothing is. Collective.
  /// \param gradient at x, 3 per owned node; or empty
  std::string describe_non_finite(const std::vector<double>& x, const std::vector<double>& gradient = {}) const;
  /// The cell with the smallest det F over all ranks; one where det F is NaN, if there is one. Collective.
  /// \param forbidden_only only cells whose material has no energy for det F ≤ 0
  CellReport min_jacobian(const std::vector<double>& x, bool forbidden_only = false) const;
  /// Mass of each body [kg]. Collective.
  std::vector<double> body_masses() const;
  /// Cauchy stress averaged over the cells at each node (ElasticTerm::nodal_stress), ghosts included: 6 per local node
  /// [Pa]. Collective.
  std::vector<double> nodal_stress(const std::vector<double>& x) const;
  /// Collective. \param gravity at the state's time [m/s²]
  Conserved conserved(const dofs::State& state, const Vector3& gravity) const;

  Mat matrix() const { return matrix_.get(); }
  const mesh::DistributedMesh& mesh() const { return mesh_; }
  const dofs::Constraints& constraints() const { return step_.constraints; }
  /// x̂ [m], 3 per local node; of no meaning without inertia.
  const std::vector<double>& target() const { return step_.target; }
  double scale() const { return step_.scale; } ///< β h² [s²]
  bool has_inertia() const { return step_.inertia; }
  const ElasticTerm& elastic() const { return elastic_; }
  const MassMatrix& mass() const { return mass_; }
  const RayleighDamping& damping() const { return damping_; }
  double velocity_time() const { return step_.velocity_time; } ///< ĥ [s]
  /// "element 12 of body bar": where a cell id of the input belongs.
  std::string cell_name(GlobalIndex cell_id) const;

private:
  /// ∂E/∂x of all components, 3 per owned node.
  void full_gradient(const std::vector<double>& x, double* g);
  bool is_damped() const { return damping_.active() && step_.inertia && !step_.velocity_origin.empty(); }
  /// What gravity and loads pull with: m g + f [N].
  double dead_force(std::size_t i) const;
  /// The lowest node id over all ranks among owned nodes with a component of which `bad(i)` holds, in words.
  std::string first_node(const std::function<bool(std::size_t)>& bad) const;
  /// Lowest id with its Jacobian over all ranks.
  CellReport reduce(const CellReport& mine, bool by_jacobian) const;

  const mesh::DistributedMesh& mesh_;
  NodalSparsity sparsity_;
  BlockMatrix matrix_;
  MassMatrix mass_;
  ElasticTerm elastic_;
  RayleighDamping damping_;
  bool lagged_;
  std::vector<double> lag_positions_;
  StepProblem step_;
  double held_forces2_ = 0.0; ///< Σ |∂E/∂x|² over held components as of the last gradient
  std::vector<double> base_;
  std::vector<double> lifting_;
  mutable std::vector<double> offset_, product_, gradient_; ///< work space: local, owned, local
};

} // namespace limber::assembly
