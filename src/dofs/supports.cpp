#include "dofs/supports.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace limber::dofs {
namespace {

/// Center and size of every piece.
struct Frames {
  std::vector<double> centers; ///< 3 per piece
  std::vector<double> sizes;
};

Frames piece_frames(const mesh::DistributedMesh& mesh, std::size_t pieces) {
  std::vector<double> sums(4 * pieces, 0.0);
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n) {
    const auto p = std::size_t(mesh.node_pieces[n]);
    for (std::size_t k = 0; k < 3; ++k) sums[4 * p + k] += mesh.rest_positions[3 * n + k];
    sums[4 * p + 3] += 1.0;
  }
  base::global_sum(mesh.comm, sums);
  Frames frames{std::vector<double>(3 * pieces), std::vector<double>(pieces, 0.0)};
  for (std::size_t p = 0; p < pieces; ++p)
    for (std::size_t k = 0; k < 3; ++k) frames.centers[3 * p + k] = sums[4 * p + k] / sums[4 * p + 3];
  std::vector<double> squares(pieces, 0.0); // mean squared distance from the center
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n) {
    const auto p = std::size_t(mesh.node_pieces[n]);
    for (std::size_t k = 0; k < 3; ++k)
      squares[p] += std::pow(mesh.rest_positions[3 * n + k] - frames.centers[3 * p + k], 2);
  }
  base::global_sum(mesh.comm, squares);
  for (std::size_t p = 0; p < pieces; ++p) frames.sizes[p] = std::sqrt(squares[p] / sums[4 * p + 3]);
  return frames;
}

/// Σ c cᵀ over held components, c = (e_k, r × e_k/size): a rigid motion (translation, rotation times size) violates
/// what is held unless it is in the null space. 36 numbers a piece.
std::vector<double> gram_matrices(const mesh::DistributedMesh& mesh, const std::vector<std::uint8_t>& held,
                                  const Frames& frames) {
  std::vector<double> gram(36 * frames.sizes.size(), 0.0);
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n) {
    const auto p = std::size_t(mesh.node_pieces[n]);
    double r[3];
    for (std::size_t k = 0; k < 3; ++k)
      r[k] = (mesh.rest_positions[3 * n + k] - frames.centers[3 * p + k]) / frames.sizes[p];
    for (std::size_t k = 0; k < 3; ++k) {
      if (!held[3 * n + k]) continue;
      double c[6] = {};
      c[k] = 1.0;
      c[3 + (k + 1) % 3] = r[(k + 2) % 3]; // r × e_k
      c[3 + (k + 2) % 3] = -r[(k + 1) % 3];
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) gram[36 * p + 6 * i + j] += c[i] * c[j];
    }
  }
  base::global_sum(mesh.comm, gram);
  return gram;
}

std::string direction(const Eigen::Vector3d& v) {
  const Eigen::Vector3d unit = v.normalized();
  for (int k = 0; k < 3; ++k)
    if (std::abs(std::abs(unit[k]) - 1.0) < 1e-6) return std::string(1, "xyz"[k]);
  // Round-off reads as zero; an axis has no sign, so that its first component is shown positive.
  Eigen::Vector3d shown = (100.0 * unit).array().round() / 100.0;
  const bool negative = shown[0] < 0.0 || (shown[0] == 0.0 && shown[1] < 0.0);
  if (negative) shown = -shown;
  for (int k = 0; k < 3; ++k) shown[k] += 0.0; // no −0
  return fmt::format("({:g}, {:g}, {:g})", shown[0], shown[1], shown[2]);
}

/// The rigid motions of the null space in words; empty if there are none.
std::string free_motions(const double gram[36]) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 6>> matrix(gram);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> solver(matrix);
  // Entries of the rows are of order one; two held nodes a thousandth of the size apart still count as two.
  const double threshold = 1e-12 * std::max(1.0, solver.eigenvalues()[5]);
  int count = 0;
  while (count < 6 && solver.eigenvalues()[count] <= threshold) ++count;
  if (count == 6) return "move and turn freely";
  // Pure translations first; what is left turns.
  Eigen::MatrixXd null_space = solver.eigenvectors().leftCols(count);
  std::string text;
  if (count > 0) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(null_space.bottomRows(3), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto turning = (svd.singularValues().array() > 1e-4).count();
    const auto add = [&](const std::string& motion) { text += (text.empty() ? "" : " and ") + motion; };
    // Any three axes would do, and which ones the solver finds depends on round-off.
    if (turning == 3) add("turn about any axis");
    for (int i = 0; i < turning && turning < 3; ++i) add("turn about " + direction(svd.matrixU().col(i)));
    for (auto i = turning; i < count; ++i) add("move along " + direction(null_space.topRows(3) * svd.matrixV().col(i)));
  }
  return text;
}

} // namespace

void refuse_free_bodies(const mesh::DistributedMesh& mesh, const Conditions& conditions, double duration,
                        const std::string& config_file) {
  std::size_t pieces = 0;
  for (const auto& body : mesh.bodies) pieces += std::size_t(body.pieces);
  const Frames frames = piece_frames(mesh, pieces);
  std::vector<double> cuts{0.0, duration};
  for (const double t : conditions.switches())
    if (t > 0.0 && t < duration) cuts.push_back(t);
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const double middle = 0.5 * (cuts[i - 1] + cuts[i]);
    const auto gram = gram_matrices(mesh, conditions.held_at(middle), frames);
    for (const auto& body : mesh.bodies)
      for (std::int32_t p = 0; p < body.pieces; ++p) {
        const std::string motions = free_motions(&gram[36 * std::size_t(body.first_piece + p)]);
        if (motions.empty()) continue;
        const std::string piece = body.pieces == 1 ? "" : fmt::format(", piece {} of {},", p + 1, body.pieces);
        const std::string when =
            cuts.size() == 2 ? "" : fmt::format(" between t = {:g} and {:g} s", cuts[i - 1], cuts[i]);
        throw base::UserError(
            fmt::format("body {}{} can {}{}: it has no static equilibrium", body.name, piece, motions, when),
            {.file = config_file,
             .line = 0,
             .key = "boundary_conditions",
             .advice = "Hold it with conditions of type fixed or prescribed that prevent these motions, or use an "
                       "integrator with inertia, such as backward_euler."});
      }
  }
}

} // namespace limber::dofs
