/// Nodal forces of tractions, pressures and body forces: totals against exact integrals.

#include "assembly/loads.hpp"
#include "assembly_test_support.hpp"
#include "base/error.hpp"

namespace limber::assembly {
namespace {

using dofs::ConditionKind;
using dofs::ConditionOptions;
using dofs::Expression;

// Sums of some hundred products of numbers of size one.
constexpr double round_off = 1e-13;

constexpr double length = 1.0, width = 0.8, height = 0.6; ///< [m] of every body

/// Boxes with a corner at y = z = 0: linear from x = 0, straight quadratic from x = 2, quadratic with edges bent, the
/// surface's too, from x = 4.
struct Bodies {
  static mesh::BodyMesh box(double x) {
    return test::make_box({.cubes = {2, 2, 1}, .min = {x, 0.0, 0.0}, .size = {length, width, height}});
  }
  std::vector<mesh::BodyMesh> bodies{box(0.0), test::quadratic(box(2.0)), test::quadratic(box(4.0), test::bend_edges)};
  mesh::DistributedMesh mesh = test::distribute(bodies);
};
double start_of(int body) { return 2.0 * body; }

ConditionOptions condition(ConditionKind kind, int body, dofs::Selection where) {
  ConditionOptions options;
  options.name = "load";
  options.body = "body" + std::to_string(body);
  options.where = std::move(where);
  options.kind = kind;
  return options;
}
ConditionOptions vector_load(ConditionKind kind, int body, dofs::Selection where, dofs::ExpressionVector value) {
  auto options = condition(kind, body, std::move(where));
  options.value = std::move(value);
  return options;
}
ConditionOptions pressure(int body, dofs::Selection where, Expression value) {
  auto options = condition(ConditionKind::pressure, body, std::move(where));
  options.pressure = std::move(value);
  return options;
}
Expression text(const std::string& formula) { return Expression::parse(formula); }

/// Force and moment about the origin.
struct Resultant {
  Vector3 force{}, moment{};
};

/// Of nodal forces at positions, over all ranks. Collective.
Resultant resultant(const mesh::DistributedMesh& mesh, const std::vector<double>& forces,
                    const std::vector<double>& positions) {
  std::vector<double> sums(6, 0.0);
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      sums[k] += forces[3 * n + k];
      sums[3 + k] += positions[3 * n + i] * forces[3 * n + j] - positions[3 * n + j] * forces[3 * n + i];
    }
  base::global_sum(mesh.comm, sums);
  return {{sums[0], sums[1], sums[2]}, {sums[3], sums[4], sums[5]}};
}

/// Of one load at rest positions. Collective.
Resultant resultant(const Bodies& scene, const ConditionOptions& options, double time = 1.0,
                    const dofs::Ramp& ramp = {}) {
  Loads loads(scene.mesh, {options}, ramp);
  std::vector<double> forces;
  loads.evaluate(time, scene.mesh.rest_positions, forces);
  EXPECT_EQ(forces.size(), scene.mesh.rest_positions.size());
  return resultant(scene.mesh, forces, scene.mesh.rest_positions);
}

void expect_near(const Resultant& found, const Resultant& expected, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.force[k], expected.force[k], tolerance) << "force " << k;
    EXPECT_NEAR(found.moment[k], expected.moment[k], tolerance) << "moment " << k;
  }
}

dofs::SelectBox around_plane(double x) { return {{x - 1e-6, -1.0, -1.0}, {x + 1e-6, 2.0, 2.0}}; }

TEST(Traction, ConstantByGroupAndByBox) {
  Bodies scene;
  for (int body : {0, 1})
    for (const dofs::Selection& where :
         {dofs::Selection(dofs::SelectGroup{"xmax"}), dofs::Selection(around_plane(start_of(body) + length))}) {
      const Vector3 t{3.0, -1.0, 2.0};
      const double area = width * height, x = start_of(body) + length, y = width / 2.0, z = height / 2.0;
      const Resultant expected{
          {area * t[0], area * t[1], area * t[2]},
          {area * (y * t[2] - z * t[1]), area * (z * t[0] - x * t[2]), area * (x * t[1] - y * t[0])}};
      expect_near(resultant(scene, vector_load(ConditionKind::traction, body, where, {t[0], t[1], t[2]})), expected,
                  10.0 * round_off);
    }
}

TEST(Traction, LinearInPlaceAndTime) {
  Bodies scene;
  for (int body : {0, 1}) {
    const double x = start_of(body) + length, W = width, H = height, time = 0.7;
    // t = (0.7 y, 2 z + x, 1 + y − z) on the face x = const, 0 ≤ y ≤ W, 0 ≤ z ≤ H.
    const double one = W * H, y = W * W * H / 2.0, z = W * H * H / 2.0, yy = W * W * W * H / 3.0,
                 zz = W * H * H * H / 3.0, yz = W * W * H * H / 4.0;
    const Resultant expected{
        {time * y, 2.0 * z + x * one, one + y - z},
        {(y + yy - yz) - (2.0 * zz + x * z), time * yz - x * (one + y - z), x * (2.0 * z + x * one) - time * yy}};
    const auto options = vector_load(ConditionKind::traction, body, dofs::SelectGroup{"xmax"},
                                     {text("t*y"), text("2*z + x"), text("1 + y - z")});
    expect_near(resultant(scene, options, time), expected, 20.0 * round_off); // moments up to 10
  }
}

TEST(Traction, QuadraticInPlaceOnQuadraticFaces) {
  Bodies scene;
  const auto options = vector_load(ConditionKind::traction, 1, dofs::SelectGroup{"xmin"}, {0.0, text("y*z"), 0.0});
  // ∫ y z dA, and its moments −∫ y z² dA about x and 2 ∫ y z dA about z (x = 2).
  const double force = width * width * height * height / 4.0;
  const double about_x = -width * width / 2.0 * height * height * height / 3.0;
  expect_near(resultant(scene, options), {{0.0, force, 0.0}, {about_x, 0.0, 2.0 * force}}, round_off);
}

TEST(Traction, GoesToTheNodesByTheirShapeFunctions) {
  // A constant load on a flat quadratic face: nothing at corners, a third of the force at each edge node.
  Bodies scene;
  Loads loads(scene.mesh, {vector_load(ConditionKind::traction, 1, dofs::SelectGroup{"xmin"}, {0.0, 0.0, 6.0})}, {});
  std::vector<double> forces;
  loads.evaluate(0.1, scene.mesh.rest_positions, forces);
  const GlobalIndex vertices = Bodies::box(2.0).file_nodes;
  for (std::size_t n = 0; n < std::size_t(scene.mesh.owned_nodes); ++n) {
    const bool corner = scene.mesh.node_ids[n] - scene.mesh.bodies[1].first_node_id < vertices;
    const bool on_face = scene.mesh.node_bodies[n] == 1 && scene.mesh.rest_positions[3 * n] == 2.0;
    if (!on_face || corner) {
      EXPECT_NEAR(forces[3 * n + 2], 0.0, round_off);
    } else { // faces of half a rectangle of 0.4 × 0.6 m; one or two of them meet at an edge
      const double third = 6.0 * 0.4 * 0.6 / 2.0 / 3.0;
      EXPECT_NEAR(std::remainder(forces[3 * n + 2], third), 0.0, round_off);
      EXPECT_GT(forces[3 * n + 2], 0.5 * third);
      EXPECT_LT(forces[3 * n + 2], 2.5 * third);
    }
  }
}

TEST(Pressure, OnAClosedSurfaceIsInBalanceWhateverItsShape) {
  Bodies scene;
  auto positions = scene.mesh.rest_positions;
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    const double *X = &scene.mesh.rest_positions[i], x = X[0], y = X[1], z = X[2];
    positions[i] = 1.2 * x + 0.2 * std::sin(3.0 * y);
    positions[i + 1] = 0.9 * y + 0.1 * x * z;
    positions[i + 2] = z + 0.1 * std::cos(2.0 * x + y);
  }
  for (int body : {0, 1, 2})
    for (const auto& x : {scene.mesh.rest_positions, positions}) {
      Loads loads(scene.mesh, {pressure(body, dofs::SelectAll{}, 7.0)}, {});
      std::vector<double> forces;
      loads.evaluate(1.0, x, forces);
      expect_near(resultant(scene.mesh, forces, x), {}, 7.0 * 10.0 * round_off); // arms of up to 6 m
      double largest = 0.0;
      for (std::size_t i = 0; i < 3 * std::size_t(scene.mesh.owned_nodes); ++i)
        largest = std::max(largest, std::abs(forces[i]));
      EXPECT_GT(base::global_max(MPI_COMM_WORLD, largest), 0.1);
    }
}

TEST(Pressure, ThatGrowsLikeDepthLiftsByVolume) {
  Bodies scene;
  for (int body : {0, 1}) { // −∫ p n dA = −∇p V
    const double volume = length * width * height;
    const auto found = resultant(scene, pressure(body, dofs::SelectAll{}, text("5 - 3*z + x")));
    EXPECT_NEAR(found.force[0], -volume, 10.0 * round_off);
    EXPECT_NEAR(found.force[1], 0.0, 10.0 * round_off);
    EXPECT_NEAR(found.force[2], 3.0 * volume, 10.0 * round_off);
  }
}

TEST(Pressure, PushesIntoTheBodyAndFollowsItsSurface) {
  Bodies scene;
  const math::Matrix3<double> F{{1.1, 0.05, -0.1, 0.2, 0.9, 0.15, 0.0, -0.1, 1.2}};
  auto positions = scene.mesh.rest_positions;
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    const double* X = &scene.mesh.rest_positions[i];
    for (int k = 0; k < 3; ++k) positions[i + std::size_t(k)] = F(k, 0) * X[0] + F(k, 1) * X[1] + F(k, 2) * X[2];
  }
  const auto cofactor = math::cofactor(F);
  const double p = 2.0, area = width * height;
  for (int body : {0, 1})
    for (const double side : {-1.0, 1.0}) {
      const auto options = pressure(body, dofs::SelectGroup{side < 0.0 ? "xmin" : "xmax"}, p);
      const auto at_rest = resultant(scene, options).force;
      EXPECT_NEAR(at_rest[0], -side * p * area, 10.0 * round_off);
      EXPECT_NEAR(at_rest[1], 0.0, 10.0 * round_off);
      EXPECT_NEAR(at_rest[2], 0.0, 10.0 * round_off);
      Loads loads(scene.mesh, {options}, {});
      std::vector<double> forces;
      loads.evaluate(1.0, positions, forces); // area vectors transform with cof F (Nanson)
      const auto deformed = resultant(scene.mesh, forces, positions).force;
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(deformed[std::size_t(k)], -side * p * area * cofactor(k, 0), 10.0 * round_off);
    }
}

TEST(BodyForce, HasTheExactForceAndMoment) {
  Bodies scene;
  const double V = length * width * height;
  for (int body : {0, 1}) {
    const double x0 = start_of(body), x = x0 + length / 2.0, y = width / 2.0, z = height / 2.0;
    const double xx = (std::pow(x0 + length, 3) - std::pow(x0, 3)) / 3.0 / length; // mean of x²
    // b = (1, 2, x): moments ∫ (y x − 2 z), ∫ (z − x²), ∫ (2 x − y)
    const Resultant expected{{V, 2.0 * V, V * x}, {V * (y * x - 2.0 * z), V * (z - xx), V * (2.0 * x - y)}};
    const auto options = vector_load(ConditionKind::body_force, body, dofs::SelectGroup{"all"}, {1.0, 2.0, text("x")});
    expect_near(resultant(scene, options), expected, 10.0 * round_off);
    const auto half =
        resultant(scene, vector_load(ConditionKind::body_force, body, dofs::SelectGroup{"low"}, {0.0, 0.0, -3.0}));
    EXPECT_NEAR(half.force[2], -1.5 * V, 10.0 * round_off);
  }
}

TEST(BodyForce, IsWhatGravityPullsWith) {
  Bodies scene;
  const double density = 700.0, g = -9.81;
  const auto sparsity = nodal_sparsity(scene.mesh);
  const std::vector<BodyMass> masses(3, {density, {dofs::MassKind::consistent, 0.0}});
  const MassMatrix mass(scene.mesh, sparsity, masses);
  std::vector<ConditionOptions> options;
  for (int body : {0, 1, 2})
    options.push_back(vector_load(ConditionKind::body_force, body, dofs::SelectAll{}, {0.0, 0.0, density * g}));
  Loads loads(scene.mesh, options, {});
  std::vector<double> forces;
  loads.evaluate(0.01, scene.mesh.rest_positions, forces);
  for (std::size_t n = 0; n < std::size_t(scene.mesh.owned_nodes); ++n) {
    EXPECT_NEAR(forces[3 * n + 2], g * mass.row_sums()[n], 1e3 * round_off); // [N], of some hundred
    EXPECT_EQ(forces[3 * n], 0.0);
  }
}

TEST(Loads, AreRampedInStaticsOnly) {
  Bodies scene;
  auto options = vector_load(ConditionKind::traction, 0, dofs::SelectGroup{"xmax"}, {2.0, 0.0, 0.0});
  const double full = 2.0 * width * height;
  const dofs::Ramp statics{.is_static = true, .by_default = true, .duration = 4.0};
  const dofs::Ramp constant{.is_static = true, .by_default = false, .duration = 4.0};
  const auto force = [&](const dofs::Ramp& ramp) { return resultant(scene, options, 1.0, ramp).force[0]; };
  EXPECT_NEAR(force({}), full, round_off);
  EXPECT_NEAR(force(statics), 0.25 * full, round_off);
  EXPECT_NEAR(force(constant), full, round_off);
  options.ramp = false;
  EXPECT_NEAR(force(statics), full, round_off);
  options.ramp = true;
  EXPECT_NEAR(force(constant), 0.25 * full, round_off);
}

TEST(Loads, ActFromUntil) {
  Bodies scene;
  auto options = vector_load(ConditionKind::traction, 0, dofs::SelectGroup{"xmax"}, {text("1 + 0*t"), 0.0, 0.0});
  options.from = 0.2;
  options.until = 0.5;
  const double full = width * height;
  for (const auto& value : {options.value, dofs::ExpressionVector{1.0, 0.0, 0.0}}) { // stored and evaluated forces
    options.value = value;
    Loads loads(scene.mesh, {options}, {});
    // At the end of a step that ends on `from`, the load does not act yet; on `until`, it still does, round-off or not.
    for (const auto& [time, acts] : {std::pair(0.0, false),
                                     {0.2, false},
                                     {0.2 * (1 + 1e-14), false},
                                     {0.21, true},
                                     {0.5, true},
                                     {0.5 * (1 + 1e-14), true},
                                     {0.51, false},
                                     {0.3, true}}) {
      std::vector<double> forces;
      loads.evaluate(time, scene.mesh.rest_positions, forces);
      EXPECT_NEAR(resultant(scene.mesh, forces, scene.mesh.rest_positions).force[0], acts ? full : 0.0, round_off)
          << time;
    }
  }
}

TEST(Loads, AddUpAndAreKeptByCondition) {
  Bodies scene;
  std::vector<ConditionOptions> options{
      condition(ConditionKind::fixed, 0, dofs::SelectGroup{"xmin"}),
      vector_load(ConditionKind::traction, 0, dofs::SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
      vector_load(ConditionKind::body_force, 0, dofs::SelectAll{}, {0.0, text("t"), 0.0}),
      pressure(1, dofs::SelectGroup{"xmin"}, 3.0)};
  Loads loads(scene.mesh, options, {});
  EXPECT_FALSE(loads.empty());
  EXPECT_TRUE(Loads(scene.mesh, {options[0]}, {}).empty());
  std::vector<double> forces;
  loads.evaluate(2.0, scene.mesh.rest_positions, forces);
  const auto& each = loads.by_condition();
  ASSERT_EQ(each.size(), 4u);
  EXPECT_TRUE(each[0].empty());
  const auto owned = 3 * std::size_t(scene.mesh.owned_nodes);
  for (std::size_t c : {1u, 2u, 3u}) ASSERT_EQ(each[c].size(), owned);
  for (std::size_t i = 0; i < owned; ++i) EXPECT_NEAR(forces[i], each[1][i] + each[2][i] + each[3][i], round_off);
  const auto force = [&](std::size_t c) { return resultant(scene.mesh, each[c], scene.mesh.rest_positions).force; };
  EXPECT_NEAR(force(1)[0], width * height, round_off);
  EXPECT_NEAR(force(2)[1], 2.0 * length * width * height, round_off);
  EXPECT_NEAR(force(3)[0], 3.0 * width * height, round_off);
}

TEST(Loads, ReportTheirRegions) {
  Bodies scene;
  const Loads loads(scene.mesh,
                    {condition(ConditionKind::fixed, 0, dofs::SelectGroup{"xmin"}),
                     vector_load(ConditionKind::traction, 0, dofs::SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
                     pressure(1, dofs::SelectAll{}, 1.0),
                     vector_load(ConditionKind::body_force, 1, dofs::SelectGroup{"low"}, {1.0, 0.0, 0.0}),
                     vector_load(ConditionKind::traction, 0, dofs::SelectGroup{"all"}, {1.0, 0.0, 0.0})},
                    {});
  const auto& regions = loads.regions();
  ASSERT_EQ(regions.size(), 5u);
  const double surface = 2.0 * (length * width + length * height + width * height);
  // 2 × 2 × 1 cubes: 16 squares of two triangles, six tetrahedra each.
  EXPECT_EQ(regions[0].stencils, 0);
  EXPECT_EQ(regions[1].stencils, 4);
  EXPECT_NEAR(regions[1].measure, width * height, round_off);
  EXPECT_EQ(regions[2].stencils, 32);
  EXPECT_NEAR(regions[2].measure, surface, round_off);
  EXPECT_EQ(regions[3].stencils, 12);
  EXPECT_NEAR(regions[3].measure, 0.5 * length * width * height, round_off);
  EXPECT_EQ(regions[4].stencils, 32) << "a volume group takes the faces whose nodes it has";
  EXPECT_NEAR(regions[4].measure, surface, round_off);
}

/// The message of the UserError; every rank must throw the same one.
template <class Work> std::string message(const Work& work) {
  std::string found = "nothing thrown";
  try {
    work();
  } catch (const base::UserError& error) {
    found = error.what();
  }
  std::string first = found;
  base::broadcast(MPI_COMM_WORLD, first);
  EXPECT_EQ(found, first);
  return found;
}

TEST(Loads, ThatActOnNothingAreRefused) {
  Bodies scene;
  const dofs::SelectBox nowhere{{-2.0, 0.0, 0.0}, {-1.0, 1.0, 1.0}};
  const dofs::SelectNodes one_node{{0}}; // a node, but no face
  for (const dofs::Selection& where : {dofs::Selection(nowhere), dofs::Selection(one_node)}) {
    const auto faces = message([&] {
      Loads(scene.mesh, {vector_load(ConditionKind::traction, 0, where, {1.0, 0.0, 0.0})}, {});
    });
    EXPECT_NE(faces.find("condition 'load' selects no boundary face of body body0"), std::string::npos) << faces;
    const auto cells = message([&] {
      Loads(scene.mesh, {vector_load(ConditionKind::body_force, 1, where, {1.0, 0.0, 0.0})}, {});
    });
    EXPECT_NE(cells.find("condition 'load' selects no cell of body body1"), std::string::npos) << cells;
  }
  EXPECT_NE(message([&] { Loads(scene.mesh, {pressure(0, dofs::SelectGroup{"lid"}, 1.0)}, {}); }).find("lid"),
            std::string::npos);
  EXPECT_NE(message([&] { Loads(scene.mesh, {pressure(7, dofs::SelectAll{}, 1.0)}, {}); }).find("body7"),
            std::string::npos);
}

TEST(Loads, ThatAreNotFiniteAreRefusedOnAllRanks) {
  Bodies scene;
  // Bad in one corner only, which not every rank touches.
  const auto where = dofs::SelectAll{};
  for (ConditionKind kind : {ConditionKind::traction, ConditionKind::body_force}) {
    const auto text_now = message([&] {
      Loads(scene.mesh, {vector_load(kind, 0, where, {0.0, text("x > 0.8 && y > 0.5 ? sqrt(0-1) : 0"), 0.0})}, {});
    });
    EXPECT_EQ(text_now.rfind("load 'load' is not finite at t = 0 s", 0), 0u) << text_now;
  }
  std::vector<double> forces;
  Loads later(scene.mesh,
              {vector_load(ConditionKind::traction, 0, where, {text("x > 0.8 && t > 0.5 ? sqrt(0-1) : t"), 0.0, 0.0}),
               pressure(1, where, text("x > 2.8 && t > 0.7 ? 1/0 : t"))},
              {});
  later.evaluate(0.5, scene.mesh.rest_positions, forces);
  const auto at = [&](double time) {
    return message([&] { later.evaluate(time, scene.mesh.rest_positions, forces); });
  };
  EXPECT_EQ(at(0.75).rfind("load 'load' is not finite at t = 0.75 s and the rest position (", 0), 0u) << at(0.75);
  later.evaluate(0.25, scene.mesh.rest_positions, forces); // goes on afterwards
}

} // namespace
} // namespace limber::assembly
