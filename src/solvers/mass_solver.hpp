#pragma once
/// M a = f: accelerations from forces.

#include <cstdint>
#include <vector>

#include "assembly/mass_matrix.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::solvers {

class MassSolver {
public:
  /// Both must outlive this object.
  MassSolver(const mesh::DistributedMesh& mesh, const assembly::MassMatrix& mass) : mesh_(mesh), mass_(mass) {}

  /// Solves M a = f in the free components, held ones given. A diagonal M is divided by; otherwise conjugate gradients
  /// with the diagonal as preconditioner, whose condition number is a small constant of the element (Wathen, IMA J.
  /// Numer. Anal. 7, 1987: 5/2 over 1/2 for linear tetrahedra), down to 1e-13 of ‖f‖. Throws InternalError if that is
  /// not reached. Collective.
  /// \param f 3 per owned node [N]
  /// \param held 3 per local node
  /// \param a 3 per local node [m/s²]: held components are used, with valid ghosts; the others are set, ghosts too
  /// \return iterations
  int solve(const std::vector<double>& f, const std::vector<std::uint8_t>& held, std::vector<double>& a) const;

private:
  const mesh::DistributedMesh& mesh_;
  const assembly::MassMatrix& mass_;
};

} // namespace limber::solvers
