#include "dofs/initial.hpp"

namespace limber::dofs {

State initial_state(const mesh::DistributedMesh& mesh, const std::vector<InitialOptions>& options) {
  State state;
  state.positions.resize(3 * std::size_t(mesh.local_nodes));
  state.velocities.resize(state.positions.size());
  for (std::size_t n = 0; n < std::size_t(mesh.local_nodes); ++n) {
    const auto& o = options[std::size_t(mesh.node_bodies[n])];
    double* x = state.positions.data() + 3 * n;
    double* v = state.velocities.data() + 3 * n;
    Vector3 arm;
    for (std::size_t k = 0; k < 3; ++k) {
      const double from_center = mesh.rest_positions[3 * n + k] - o.about[k];
      // Exactly the rest position where nothing is stretched.
      x[k] = o.stretch[k] == 1.0 ? mesh.rest_positions[3 * n + k] : o.about[k] + o.stretch[k] * from_center;
      arm[k] = x[k] - o.about[k];
    }
    const auto& w = o.angular_velocity;
    v[0] = o.velocity[0] + w[1] * arm[2] - w[2] * arm[1];
    v[1] = o.velocity[1] + w[2] * arm[0] - w[0] * arm[2];
    v[2] = o.velocity[2] + w[0] * arm[1] - w[1] * arm[0];
  }
  return state;
}

} // namespace limber::dofs
