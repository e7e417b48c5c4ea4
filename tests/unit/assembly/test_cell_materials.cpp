/// Several materials in one body, by physical volume.

#include "assembly/cell_materials.hpp"
#include "assembly_test_support.hpp"
#include "base/collective.hpp"

namespace limber::assembly {
namespace {

std::string error_of(const mesh::DistributedMesh& mesh, const std::vector<MaterialRegion>& regions) {
  try {
    cell_materials(mesh, regions);
  } catch (const base::UserError& e) {
    return e.what();
  }
  return {};
}

TEST(CellMaterials, AreTheBodysUnlessARegionSaysOtherwise) {
  const test::ThreeBodies scene;
  EXPECT_EQ(cell_materials(scene.mesh, {}), scene.mesh.cell_bodies);
  const auto found = cell_materials(scene.mesh, {{0, "high", 7, {}}, {1, "low", 8, {}}});
  ASSERT_EQ(found.size(), scene.mesh.cell_ids.size());
  for (std::size_t c = 0; c < found.size(); ++c) {
    const auto body = scene.mesh.cell_bodies[c], tag = scene.mesh.cell_groups[c];
    EXPECT_EQ(found[c], body == 0 && tag == 4 ? 7 : body == 1 && tag == 3 ? 8 : body) << c;
  }
}

TEST(CellMaterials, RefusesWhatIsNoVolume) {
  const test::ThreeBodies scene;
  const auto misspelt = error_of(scene.mesh, {{0, "hihg", 3, {.file = "a.yaml", .line = 3, .key = "k", .advice = {}}}});
  for (const char* part : {"body body0 has no physical volume 'hihg'", "low, high, all", "nearest: high", "a.yaml:3"})
    EXPECT_NE(misspelt.find(part), std::string::npos) << misspelt;
  EXPECT_NE(error_of(scene.mesh, {{0, "xmin", 3, {}}}).find("no physical volume 'xmin'"), std::string::npos);
  // Every cell of `all` is in low or high, too, whose tags are smaller.
  EXPECT_NE(error_of(scene.mesh, {{0, "all", 3, {}}}).find("has no tetrahedra of its own"), std::string::npos);
}

/// Energies, forces and masses of a body of two materials: with the two exchanged they add up to those of the two pure
/// bodies.
TEST(CellMaterials, AddUp) {
  const auto body = test::make_box({.cubes = {4, 2, 1}, .leave_out = 1});
  const auto mesh = test::distribute({body});
  const auto soft = test::neo_hookean(500.0, 1e5, 0.3), hard = test::stable_neo_hookean(2000.0, 4e5, 9e5);
  const auto x = [&] {
    auto positions = test::concatenate({body}).points;
    const auto noise = test::random_numbers(positions.size(), 9);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = 1.1 * positions[i] + 0.01 * noise[i];
    return test::to_local(mesh, positions);
  }();
  double energy[4], mass[4];
  std::vector<double> forces[4];
  for (int i = 0; i < 4; ++i) { // soft, hard, hard in the high half, soft in the high half
    const auto &first = i % 2 == 0 ? soft : hard, &second = i % 2 == 0 ? hard : soft;
    const auto cells = i < 2 ? std::vector<std::int32_t>() : cell_materials(mesh, {{0, "high", 1, {}}});
    IncrementalPotential potential(mesh, {{first.density, {}}}, {first, second}, cells);
    energy[i] = base::global_sum(mesh.comm, potential.elastic().energy(x));
    mass[i] = potential.body_masses().front();
    forces[i].assign(x.size(), 0.0);
    potential.elastic().add_gradient(x, 1.0, forces[i]);
  }
  EXPECT_NEAR(energy[2] + energy[3], energy[0] + energy[1], 1e-13 * (energy[0] + energy[1])); // sums of 47 cells
  EXPECT_GT(std::abs(energy[2] - energy[0]), 0.1 * energy[0]);
  EXPECT_GT(std::abs(energy[2] - energy[1]), 0.1 * energy[1]);
  EXPECT_NEAR(mass[2] + mass[3], mass[0] + mass[1], 1e-12 * mass[1]);
  // One of 48 tetrahedra is missing in the high half: 24 soft ones, 23 hard ones, of 1/48 m³ each.
  EXPECT_NEAR(mass[2], (24.0 * 500.0 + 23.0 * 2000.0) / 48.0, 1e-12 * mass[2]);
  for (std::size_t i = 0; i < 3 * std::size_t(mesh.owned_nodes); ++i) // forces of size 1e4 N
    EXPECT_NEAR(forces[2][i] + forces[3][i], forces[0][i] + forces[1][i], 1e-9);
}

} // namespace
} // namespace limber::assembly
