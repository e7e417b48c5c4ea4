// Which supports leave a body free to move, and what is said about it.

#include <gtest/gtest.h>

#include "dofs/supports.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

using Components = std::array<bool, 3>;

ConditionOptions hold(const Selection& where, const Components& components = {true, true, true}) {
  ConditionOptions options;
  options.name = "support";
  options.body = "body0";
  options.where = where;
  options.components = components;
  return options;
}
SelectBox at(double x, double y, double z) { return {{x, y, z}, {x, y, z}}; }
SelectPlane plane(std::size_t axis, double place) {
  SelectPlane select;
  select.normal[axis] = 1.0;
  select.point[axis] = place;
  return select;
}

/// What is said of bodies under these conditions for a run of one second; "" where they are held.
std::string complaint(const mesh::DistributedMesh& mesh, const std::vector<ConditionOptions>& options) {
  const Conditions conditions(mesh, options, {});
  const auto text = test::user_error([&] { refuse_free_bodies(mesh, conditions, 1.0); });
  return text == "nothing thrown" ? "" : text;
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto found = text.find(part); found != std::string::npos; found = text.find(part, found + 1)) ++times;
  return times;
}

/// A box of 2×1×1, linear and quadratic.
class SupportsTest : public ::testing::TestWithParam<int> {
protected:
  static mesh::BodyMesh box() {
    const auto linear = test::make_box({.cubes = {4, 2, 2}, .size = {2.0, 1.0, 1.0}});
    return GetParam() == 1 ? linear : test::quadratic(linear);
  }
  std::string complaint(const std::vector<ConditionOptions>& options) const { return dofs::complaint(mesh, options); }
  mesh::DistributedMesh mesh = test::distribute({box()});
};

INSTANTIATE_TEST_SUITE_P(Orders, SupportsTest, ::testing::Values(1, 2));

TEST_P(SupportsTest, AClampHolds) { EXPECT_EQ(complaint({hold(SelectGroup{"xmin"})}), ""); }

TEST_P(SupportsTest, NothingHoldsAFreeBody) {
  EXPECT_EQ(complaint({}), "boundary_conditions: body body0 can move and turn freely: it has no static equilibrium\n"
                           "  Hold it with conditions of type fixed or prescribed that prevent these motions, or use "
                           "an integrator with inertia, such as backward_euler.");
}

TEST_P(SupportsTest, LoadsHoldNothing) {
  auto load = hold(SelectAll{});
  load.kind = ConditionKind::traction;
  EXPECT_TRUE(contains(complaint({load}), "move and turn freely"));
}

TEST_P(SupportsTest, AroundOneNodeABodyTurns) {
  const auto text = complaint({hold(at(0.0, 0.0, 0.0))});
  EXPECT_TRUE(contains(text, "body body0 can turn about any axis: it")) << text;
}

TEST_P(SupportsTest, AroundAHingeABodyTurns) {
  const auto along_y = complaint({hold(SelectBox{{2.0, 0.0, 1.0}, {2.0, 1.0, 1.0}})});
  EXPECT_TRUE(contains(along_y, "body body0 can turn about y: it")) << along_y;
  const auto diagonal = complaint({hold(at(0.0, 0.0, 0.0)), hold(at(1.0, 0.0, 1.0))});
  EXPECT_TRUE(contains(diagonal, "can turn about (0.71, 0, 0.71): it")) << diagonal;
  const auto other = complaint({hold(at(1.0, 0.0, 0.0)), hold(at(0.0, 1.0, 0.0))});
  EXPECT_TRUE(contains(other, "can turn about (0.71, -0.71, 0): it")) << other;
}

TEST_P(SupportsTest, SixComponentsSuffice) {
  const auto a = hold(at(0.0, 0.0, 0.0)), b = hold(at(2.0, 0.0, 0.0), {false, true, true}),
             c = hold(at(0.0, 1.0, 0.0), {false, false, true});
  EXPECT_EQ(complaint({a, b, c}), "");
  const auto without_c = complaint({a, b});
  EXPECT_TRUE(contains(without_c, "can turn about x: it")) << without_c;
  // Six components that all pass through one axis do not.
  const auto still_free = complaint({a, b, hold(at(2.0, 0.0, 0.0), {true, false, false})});
  EXPECT_TRUE(contains(still_free, "can turn about x: it")) << still_free;
}

TEST_P(SupportsTest, PlanesOfSymmetryHoldOneByOne) {
  const auto x = hold(plane(0, 0.0), {true, false, false}), y = hold(plane(1, 0.0), {false, true, false}),
             z = hold(plane(2, 0.0), {false, false, true});
  EXPECT_EQ(complaint({x, y, z}), "");
  EXPECT_TRUE(contains(complaint({x, y}), "can move along z: it")) << complaint({x, y});
  const auto slides = complaint({z});
  EXPECT_EQ(count(slides, "move along"), 2) << slides;
  EXPECT_EQ(count(slides, "turn about z"), 1) << slides;
}

TEST_P(SupportsTest, AClampThatIsReleasedMidwayHoldsNoLonger) {
  auto clamp = hold(SelectGroup{"xmin"});
  clamp.until = 0.5;
  EXPECT_TRUE(contains(complaint({clamp}), "move and turn freely between t = 0.5 and 1 s: it")) << complaint({clamp});
  auto other = hold(SelectGroup{"xmax"});
  other.from = 0.5;
  EXPECT_EQ(complaint({clamp, other}), "") << "one takes over from the other";
  other.from = 0.75;
  EXPECT_TRUE(contains(complaint({clamp, other}), "between t = 0.5 and 0.75 s")) << complaint({clamp, other});
  clamp.until = 2.0;
  EXPECT_EQ(complaint({clamp}), "") << "the end of the run comes first";
}

TEST_P(SupportsTest, EveryPieceMustBeHeld) {
  auto linear = test::make_box(
      {.cubes = {5, 2, 2}, .keep = [](const Vector3& center) { return center[0] < 0.4 || center[0] > 0.6; }});
  const auto apart = test::distribute({GetParam() == 1 ? linear : test::quadratic(linear)});
  const auto text = dofs::complaint(apart, {hold(SelectGroup{"xmin"})});
  EXPECT_TRUE(contains(text, "body body0, piece 2 of 2, can move and turn freely")) << text;
  EXPECT_EQ(dofs::complaint(apart, {hold(SelectGroup{"xmin"}), hold(SelectGroup{"xmax"})}), "");
}

TEST_P(SupportsTest, EveryBodyMustBeHeld) {
  const auto two = test::distribute({box(), test::make_box({.min = {5.0, 0.0, 0.0}})});
  const auto text = dofs::complaint(two, {hold(SelectGroup{"xmin"})});
  EXPECT_TRUE(contains(text, "body body1 can move and turn freely")) << text;
}

TEST_P(SupportsTest, SizeAndPlaceDoNotMatter) {
  for (const double size : {1e-6, 1e3}) {
    const auto scaled = test::make_box({.cubes = {2, 2, 2}, .min = {7 * size, 0, 0}, .size = {size, size, size}});
    const auto mesh = test::distribute({GetParam() == 1 ? scaled : test::quadratic(scaled)});
    const auto low = hold(SelectGroup{"xmin"}, {true, false, false});
    EXPECT_EQ(dofs::complaint(mesh, {hold(SelectGroup{"xmin"})}), "") << size;
    const auto slides = dofs::complaint(mesh, {low});
    EXPECT_EQ(count(slides, "move along"), 2) << slides;
    EXPECT_EQ(count(slides, "turn about x"), 1) << slides;
  }
}

} // namespace
} // namespace limber::dofs
