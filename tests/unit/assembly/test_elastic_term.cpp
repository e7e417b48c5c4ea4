/// Bounds and reports that look at single cells.

#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

/// First α in (0, 1] with a tenth of the present volume left somewhere in a cell that may not invert, by looking
/// everywhere (in quadratic cells: on a lattice); > 1: none.
double brute_force_bound(const test::Scene& scene, const std::vector<double>& p, int samples) {
  const auto lost = [&](double alpha) {
    const auto y = test::moved(scene.x, alpha, p);
    for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
      if (!scene.reference.may_invert(c) && scene.reference.lowest_ratio(y, scene.x, c) < 0.1) return true;
    return false;
  };
  int first = 1;
  while (first <= samples && !lost(double(first) / samples)) ++first;
  if (first > samples) return 2.0;
  double low = double(first - 1) / samples, high = double(first) / samples;
  for (int i = 0; i < 40; ++i) (lost(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
  return low;
}

TEST(MaxStepSize, AgreesWithBruteForce) {
  test::ThreeBodies scene;
  int bounded = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const double size = 0.1 * double(1u << seed); // from harmless to far beyond the first inversion
    auto p = test::random_numbers(scene.x.size(), seed);
    for (double& value : p) value *= size;
    const double expected = brute_force_bound(scene, p, 2000);
    const double found = scene.potential.max_step_size(scene.local(scene.x), scene.local(p));
    // Bisection to 1e-12, the bound's own slack of 1e-14, round-off of a determinant.
    EXPECT_NEAR(found, std::min(expected, 1.0), 1e-10) << seed;
    bounded += expected < 1.0 ? 1 : 0;
  }
  EXPECT_GE(bounded, 2) << "the steps are too tame";
}

TEST(MaxStepSize, IsSafeAndTightInQuadraticCells) {
  test::MixedOrders scene;
  int bounded = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    auto p = test::random_numbers(scene.x.size(), seed);
    for (std::size_t i = 0; i < p.size(); ++i) // the linear body stands still, so that quadratic ones decide
      p[i] *= scene.whole.node_bodies[i / 3] == 0 ? 0.0 : 0.01 * double(1u << seed);
    const double expected = std::min(brute_force_bound(scene, p, 50), 1.0);
    const double found = scene.potential.max_step_size(scene.local(scene.x), scene.local(p));
    // The lattice sees too little, the bound is short by one percent; both of the way to the first inversion.
    EXPECT_LE(found, expected + 1e-10) << seed;
    EXPECT_GE(found, 0.95 * expected) << seed;
    bounded += expected < 1.0 ? 1 : 0;
  }
  EXPECT_GE(bounded, 2) << "the steps are too tame";
}

TEST(MaxStepSize, LetsCellsInvertThatMay) {
  test::MixedOrders scene;
  std::vector<double> p(scene.x.size(), 0.0);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (scene.materials[std::size_t(scene.whole.node_bodies[i / 3])].model == "stable_neo_hookean")
      p[i] = i % 3 == 0 ? -2.0 * scene.x[i] : 0.0; // mirrors them
  EXPECT_EQ(scene.potential.max_step_size(scene.local(scene.x), scene.local(p)), 1.0);
  const auto y = scene.local(test::moved(scene.x, 1.0, p));
  EXPECT_LT(scene.potential.min_jacobian(y).jacobian, 0.0);
  EXPECT_GT(scene.potential.min_jacobian(y, true).jacobian, 0.0) << "where it is forbidden, nothing is inverted";
  scene.potential.set_base(scene.local(scene.x));
  EXPECT_TRUE(std::isfinite(scene.potential.difference(y).value));
}

TEST(MaxStepSize, IsOneForRigidMotionAndRest) {
  test::ThreeBodies scene;
  std::vector<double> p(scene.x.size(), 0.0);
  EXPECT_EQ(scene.potential.max_step_size(scene.local(scene.x), scene.local(p)), 1.0);
  std::fill(p.begin(), p.end(), 1e3);
  EXPECT_EQ(scene.potential.max_step_size(scene.local(scene.x), scene.local(p)), 1.0);
}

TEST(MaxStepSize, IsZeroWhereACellIsInvertedAlready) {
  test::ThreeBodies scene;
  auto mirrored = scene.x;
  for (std::size_t i = 0; i < mirrored.size(); i += 3) mirrored[i] = -mirrored[i];
  EXPECT_EQ(scene.potential.max_step_size(scene.local(mirrored), scene.local(scene.x)), 0.0);
}

TEST(MinJacobian, NamesTheWorstCell) {
  test::ThreeBodies scene;
  for (int round = 0; round < 3; ++round) {
    std::size_t worst = 0;
    for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
      if (scene.reference.jacobian(scene.x, c) < scene.reference.jacobian(scene.x, worst)) worst = c;
    const auto found = scene.potential.min_jacobian(scene.local(scene.x));
    EXPECT_EQ(found.cell_id, scene.whole.cell_ids[worst]);
    EXPECT_NEAR(found.jacobian, scene.reference.jacobian(scene.x, worst),
                1e-14); // a determinant of numbers of size one
    dofs::State state;
    state.positions = scene.local(scene.x);
    state.velocities.assign(state.positions.size(), 0.0);
    EXPECT_EQ(scene.potential.conserved(state, scene.gravity).min_jacobian, found.jacobian);
    scene.x = test::moved(scene.whole.points, 0.04, test::random_numbers(scene.x.size(), unsigned(20 + round)));
  }
}

TEST(MinJacobian, IsALowerBoundInQuadraticCells) {
  test::MixedOrders scene;
  for (int round = 0; round < 3; ++round) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
      lowest = std::min(lowest, scene.reference.lowest_ratio(scene.x, scene.whole.points, c));
    const double found = scene.potential.min_jacobian(scene.local(scene.x)).jacobian;
    EXPECT_LE(found, lowest + 1e-14); // round-off of a determinant of size one
    // One percent, and what a lattice of 12 intervals overlooks.
    EXPECT_GE(found, lowest - 0.02 * std::abs(lowest)) << round;
    scene.x = test::moved(scene.whole.points, 0.01, test::random_numbers(scene.x.size(), unsigned(20 + round)));
  }
}

TEST(MinJacobian, TakesTheLowestIdAmongEqualOnes) {
  test::ThreeBodies scene;
  auto doubled = scene.whole.points; // det F = 8, exactly for some cells only; the lowest id of the smallest must win
  for (double& x : doubled) x *= 2.0;
  const auto found = scene.potential.min_jacobian(scene.local(doubled));
  EXPECT_NEAR(found.jacobian, 8.0, 1e-13);
  const auto jacobian = scene.potential.elastic().cell_fields(scene.local(doubled)).jacobian;
  GlobalIndex lowest = std::numeric_limits<GlobalIndex>::max();
  for (std::size_t c = 0; c < jacobian.size(); ++c)
    if (jacobian[c] == found.jacobian) lowest = std::min(lowest, scene.mesh.cell_ids[c]);
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_EQ(found.cell_id, lowest);
}

TEST(MinJacobian, ReportsNaN) {
  test::ThreeBodies scene;
  auto y = scene.x;
  const auto node = std::size_t(scene.whole.cells[4 * 20]); // neither in the first cell nor in the last
  y[3 * node] = std::numeric_limits<double>::quiet_NaN();
  const auto found = scene.potential.min_jacobian(scene.local(y));
  EXPECT_TRUE(std::isnan(found.jacobian));
  const auto cell =
      std::find(scene.whole.cell_ids.begin(), scene.whole.cell_ids.end(), found.cell_id) - scene.whole.cell_ids.begin();
  EXPECT_TRUE(std::isnan(scene.reference.jacobian(y, std::size_t(cell))));
}

TEST(DescribeNonFinite, SaysNothingWhereAllIsWell) {
  test::ThreeBodies scene;
  EXPECT_EQ(scene.potential.describe_non_finite(scene.local(scene.x)), "");
}

TEST(DescribeNonFinite, NamesTheFirstElementAtABadNode) {
  test::ThreeBodies scene;
  const std::vector<std::string> names = test::body_names(3);
  for (std::size_t node :
       {std::size_t(0), std::size_t(13), scene.whole.node_count() - 10, scene.whole.node_count() - 1}) {
    auto y = scene.x;
    y[3 * node + 1] = std::numeric_limits<double>::quiet_NaN();
    std::size_t first = 0;
    while (std::find(scene.whole.cells.begin() + std::ptrdiff_t(4 * first),
                     scene.whole.cells.begin() + std::ptrdiff_t(4 * first + 4),
                     LocalIndex(node)) == scene.whole.cells.begin() + std::ptrdiff_t(4 * first + 4))
      ++first;
    const auto body = std::size_t(scene.whole.cell_bodies[first]);
    const auto id = scene.whole.cell_ids[first] - scene.mesh.bodies[body].first_cell_id;
    const auto text = scene.potential.describe_non_finite(scene.local(y));
    EXPECT_EQ(text, "the strain energy of element " + std::to_string(id) + " of body " + names[body] +
                        " is not finite (det F = nan)");
  }
}

TEST(DescribeNonFinite, ReportsAnInvertedElementWithItsJacobian) {
  test::ThreeBodies scene;
  auto y = scene.x; // the last body is turned inside out
  for (std::size_t n = 0; n < scene.whole.node_count(); ++n)
    if (scene.whole.node_bodies[n] == 2) y[3 * n] = -scene.whole.points[3 * n];
  const auto text = scene.potential.describe_non_finite(scene.local(y));
  EXPECT_EQ(text.rfind("the strain energy of element 0 of body body2 is not finite (det F = -", 0), 0u) << text;
}

TEST(DescribeNonFinite, FindsABadTarget) {
  test::ThreeBodies scene;
  auto target = scene.x;
  target[3 * 5] = std::numeric_limits<double>::infinity();
  scene.potential.start_step({.target = scene.local(target),
                              .scale = 1.0,
                              .gravity = scene.gravity,
                              .loads = {},
                              .constraints = scene.potential.constraints()});
  EXPECT_EQ(scene.potential.describe_non_finite(scene.local(scene.x)),
            "the position or velocity of node 5 of body body0 is not finite or too large");
}

TEST(CellFields, ArePerCountedCell) {
  test::ThreeBodies scene;
  const auto fields = scene.potential.elastic().cell_fields(scene.local(scene.x));
  const auto &von_mises = fields.von_mises, &jacobian = fields.jacobian;
  ASSERT_EQ(von_mises.size(), std::size_t(scene.mesh.counted_cells));
  ASSERT_EQ(jacobian.size(), von_mises.size());
  for (std::size_t c = 0; c < jacobian.size(); ++c) {
    const auto id = scene.mesh.cell_ids[c];
    const auto whole =
        std::find(scene.whole.cell_ids.begin(), scene.whole.cell_ids.end(), id) - scene.whole.cell_ids.begin();
    EXPECT_NEAR(jacobian[c], scene.reference.jacobian(scene.x, std::size_t(whole)), 1e-14);
    EXPECT_GT(von_mises[c], 0.0);
  }
  for (double s : scene.potential.elastic().cell_fields(scene.local(scene.whole.points)).von_mises)
    EXPECT_LE(s, 1e-9); // F = I up to 1e-16, times 1e5 Pa
}

} // namespace
} // namespace limber::assembly
