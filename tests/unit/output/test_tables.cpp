/// The tables that grow by a row a step: TableWriter, probes.csv, conditions.csv.

#include <gtest/gtest.h>
#include <sstream>

#include "base/error.hpp"
#include "output/condition_forces.hpp"
#include "output/probes.hpp"
#include "output_test_support.hpp"
#include "support/box_mesh.hpp"

namespace limber::output {
namespace {

using namespace output_test;

std::vector<std::string> lines_of(const std::string& path) {
  MPI_Barrier(comm);
  std::istringstream text(read_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  MPI_Barrier(comm);
  return lines;
}

/// Columns of the header and numbers of a row.
std::map<std::string, double> row_of(const std::vector<std::string>& lines, std::size_t row) {
  std::map<std::string, double> values;
  std::istringstream names(lines.at(0)), numbers(lines.at(row));
  for (std::string name, number; std::getline(names, name, ',') && std::getline(numbers, number, ',');)
    values[name] = std::stod(number);
  EXPECT_TRUE(names.eof() || names.peek() == EOF);
  return values;
}

TEST(TableWriter, GrowsByRowsOfRankZero) {
  const Folder folder;
  TableWriter table(comm, folder / "t.csv", "step,a", std::nullopt);
  table.append("0,1");
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1"})) << "complete at once";
  table.append(rank() == 0 ? "1,2" : "not mine");
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1", "1,2"}));
  TableWriter anew(comm, folder / "t.csv", "step,a", std::nullopt);
  EXPECT_EQ(lines_of(folder / "t.csv"), std::vector<std::string>{"step,a"});
}

TEST(TableWriter, RestartKeepsRowsUpToTheStep) {
  const Folder folder;
  write_text(folder / "t.csv", "step,a\n0,1\n1,2\n2,3\n10,4\n11,5"); // the last row is torn
  {
    TableWriter table(comm, folder / "t.csv", "step,a", 2);
    EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1", "1,2", "2,3"}));
    table.append("3,7");
  }
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1", "1,2", "2,3", "3,7"}));
  TableWriter missing(comm, folder / "new.csv", "step,a", 2);
  missing.append("3,1");
  EXPECT_EQ(lines_of(folder / "new.csv"), (std::vector<std::string>{"step,a", "3,1"}));
}

TEST(TableWriter, RefusesOtherColumnsAndKeepsTheFile) {
  const Folder folder;
  write_text(folder / "t.csv", "step,b\n0,1\n");
  const auto text = error_of<base::UserError>([&] { TableWriter(comm, folder / "t.csv", "step,a", 2); });
  EXPECT_NE(text.find("its columns are not those of this run"), std::string::npos) << text;
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,b", "0,1"}));
}

TEST(TableWriter, AFullDiskLeavesWholeRows) {
  const Folder folder;
  TableWriter table(comm, folder / "t.csv", "step,a", std::nullopt);
  table.append("0,1");
  {
    const FullDisk full(13); // "step,a\n0,1\n" and two bytes of the next row
    EXPECT_NE(error_of<base::IoError>([&] { table.append("1,2"); }), "");
  }
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1"}));
  table.append("1,2");
  EXPECT_EQ(lines_of(folder / "t.csv"), (std::vector<std::string>{"step,a", "0,1", "1,2"}));
}

/// Two bodies, the second with gaps in its ids; the partition gives nodes of both to every rank.
struct TwoBodies {
  std::vector<mesh::BodyMesh> bodies{test::make_box({.cubes = {2, 2, 2}, .jitter = 0.0}),
                                     test::make_box({.cubes = {2, 1, 1}, .min = {0.2, 0.0, 0.0}, .id_gap = 2})};
  test::WholeMesh whole = test::concatenate(bodies);
  mesh::DistributedMesh mesh = test::distribute(bodies);
};

ProbeOptions probe(const std::string& name, const std::string& body, const Vector3& point) {
  ProbeOptions options;
  options.name = name;
  options.body = body;
  options.point = point;
  options.config_key = "output.probes[0]";
  return options;
}

TEST(ProbeNodes, AreTheNearestOfTheirBody) {
  const TwoBodies scene;
  std::vector<ProbeOptions> options;
  const auto numbers = test::random_numbers(60, 5);
  for (std::size_t i = 0; i < 20; ++i)
    options.push_back(probe("p", "body" + std::to_string(i % 2),
                            {numbers[3 * i] + 0.5, numbers[3 * i + 1] + 0.5, numbers[3 * i + 2] + 0.5}));
  const auto found = find_probe_nodes(scene.mesh, options);
  ASSERT_EQ(found.size(), options.size());
  std::vector<GlobalIndex> owners(found.size(), 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    double nearest = 1e30;
    std::size_t node = 0;
    for (std::size_t n = 0; n < scene.whole.node_count(); ++n) {
      const double* X = &scene.whole.points[3 * n];
      const auto& p = options[i].point;
      const double distance = std::hypot(X[0] - p[0], X[1] - p[1], X[2] - p[2]);
      if (scene.whole.node_bodies[n] != int(i % 2) || distance >= nearest) continue;
      nearest = distance;
      node = n;
    }
    const auto first = scene.mesh.bodies[i % 2].first_node_id;
    EXPECT_EQ(found[i].node_id, scene.whole.node_ids[node] - first) << "an id of the body's file";
    EXPECT_EQ(found[i].distance, nearest);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found[i].position[k], scene.whole.points[3 * node + k]);
    if (found[i].local >= 0) {
      EXPECT_TRUE(scene.mesh.owns(found[i].local));
      EXPECT_EQ(scene.mesh.node_ids[std::size_t(found[i].local)], scene.whole.node_ids[node]);
    }
    owners[i] = base::global_sum(comm, GlobalIndex(found[i].local >= 0 ? 1 : 0));
    EXPECT_EQ(owners[i], 1);
  }
}

TEST(ProbeNodes, OfLowestIdWhereSeveralAreNearest) {
  const TwoBodies scene;
  // The center of the first cube, between eight nodes whose coordinates are exact.
  const auto found = find_probe_nodes(scene.mesh, {probe("p", "body0", {0.25, 0.25, 0.25})});
  EXPECT_EQ(found[0].node_id, 0);
  const auto face = find_probe_nodes(scene.mesh, {probe("p", "body0", {1.0, 0.75, 0.25})});
  EXPECT_EQ(face[0].node_id, 2 + 3 * (1 + 3 * 0)); // of (1, ½|1, 0|½): numbered along x, then y, then z
}

TEST(ProbeNodes, NeedAKnownBody) {
  const TwoBodies scene;
  const auto text = error_of<base::UserError>([&] {
    find_probe_nodes(scene.mesh, {probe("p", "body7", {0.0, 0.0, 0.0})});
  });
  EXPECT_NE(text.find("there is no body 'body7'"), std::string::npos);
  EXPECT_NE(text.find("output.probes[0]"), std::string::npos) << text;
}

TEST(Probes, WriteTheValuesOfTheirNodes) {
  const TwoBodies scene;
  const Folder folder;
  const std::vector<ProbeOptions> options{probe("tip", "body0", {1.0, 1.0, 1.0}),
                                          probe("a.b-c", "body1", {0.2, 0.0, 0.0})};
  Probes probes(scene.mesh, folder.path(), options, find_probe_nodes(scene.mesh, options));
  // Functions of the node id, different for every component.
  const auto value = [&](std::size_t node, int component) {
    return std::sin(double(scene.mesh.node_ids[node])) + component / 7.0;
  };
  const auto nodes = std::size_t(scene.mesh.local_nodes);
  std::vector<double> positions(scene.mesh.rest_positions), velocities(3 * nodes), stress(6 * nodes), mises(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    for (std::size_t k = 0; k < 3; ++k) {
      positions[3 * n + k] += value(n, int(k));
      velocities[3 * n + k] = value(n, 3 + int(k));
    }
    for (std::size_t k = 0; k < 6; ++k) stress[6 * n + k] = value(n, 6 + int(k));
    mises[n] = value(n, 12);
  }
  probes.append(0, 0.0, scene.mesh.rest_positions, velocities, stress, mises);
  probes.append(1, 0.1 + 0.2, positions, velocities, stress, mises);
  const auto lines = lines_of(folder / "probes.csv");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].substr(0, lines[0].find(",a.b-c_ux")),
            "step,time,tip_ux,tip_uy,tip_uz,tip_vx,tip_vy,tip_vz,tip_sxx,tip_syy,tip_szz,tip_sxy,tip_syz,tip_sxz,"
            "tip_von_mises");
  const auto row = row_of(lines, 2);
  EXPECT_EQ(row.size(), 2u + 2u * 13u);
  EXPECT_EQ(row.at("step"), 1.0);
  EXPECT_EQ(row.at("time"), 0.1 + 0.2) << "all digits";
  const char* columns[] = {"ux", "uy", "uz", "vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "syz", "sxz", "von_mises"};
  const std::pair<const char*, GlobalIndex> nodes_of[] = {{"tip", 26}, {"a.b-c", scene.mesh.bodies[1].first_node_id}};
  for (const auto& [name, id] : nodes_of)
    for (int k = 0; k < 13; ++k)
      EXPECT_NEAR(row.at(std::string(name) + "_" + columns[k]), std::sin(double(id)) + k / 7.0,
                  k < 3 ? 1e-15 : 0.0); // a displacement has the round-off of a position
  for (int k = 0; k < 3; ++k) EXPECT_EQ(row_of(lines, 1).at(std::string("tip_") + columns[k]), 0.0);

  { // Continued after the first row.
    Probes again(scene.mesh, folder.path(), options, find_probe_nodes(scene.mesh, options), 0);
    again.append(1, 0.1 + 0.2, positions, velocities, stress, mises);
  }
  EXPECT_EQ(lines_of(folder / "probes.csv"), lines);
}

TEST(ConditionForces, SumForcesAndMoments) {
  const TwoBodies scene;
  const Folder folder;
  ConditionForces table(scene.mesh, folder.path(), {"clamp", "load", "rail"});
  // Conditions 0 and 2 hold components, 1 is a load; the values depend on ordinals only.
  const auto nodes = scene.whole.node_count();
  auto x = scene.whole.points;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.1 * double(i % 5);
  const auto forces = test::random_numbers(3 * nodes, 3), load = test::random_numbers(3 * nodes, 4);
  std::vector<double> expected(18, 0.0);
  const auto add = [&](std::size_t condition, std::size_t i, double force) {
    const std::size_t n = i / 3, k = i % 3;
    double f[3] = {0.0, 0.0, 0.0};
    f[k] = force;
    const double* at = &x[3 * n];
    double* sums = &expected[6 * condition];
    sums[k] += force;
    sums[3] += at[1] * f[2] - at[2] * f[1];
    sums[4] += at[2] * f[0] - at[0] * f[2];
    sums[5] += at[0] * f[1] - at[1] * f[0];
  };
  const auto holder = [](std::size_t ordinal, std::size_t k) {
    return ordinal % 3 == 0 ? 0 : ordinal % 3 == 1 && k == 2 ? 2 : -1;
  };
  for (std::size_t i = 0; i < 3 * nodes; ++i) {
    if (const int h = holder(i / 3, i % 3); h >= 0) add(std::size_t(h), i, forces[i]);
    add(1, i, load[i]);
  }
  std::vector<std::int32_t> holders;
  for (const GlobalIndex ordinal : scene.mesh.ordinals)
    for (std::size_t k = 0; k < 3; ++k) holders.push_back(holder(std::size_t(ordinal), k));
  const auto owned = 3 * std::size_t(scene.mesh.owned_nodes);
  auto reactions = test::to_local(scene.mesh, forces), loads = test::to_local(scene.mesh, load);
  reactions.resize(owned);
  loads.resize(owned);
  const auto positions = test::to_local(scene.mesh, x);
  table.append(0, 0.0, positions, {}, std::vector<double>(owned, 0.0), {{}, {}, {}}); // before the first step
  table.append(1, 0.25, positions, holders, reactions, {{}, loads, {}});
  const auto lines = lines_of(folder / "conditions.csv");
  ASSERT_EQ(lines.size(), 3u);
  const auto row = row_of(lines, 2);
  EXPECT_EQ(row.size(), 2u + 18u);
  EXPECT_EQ(row.at("time"), 0.25);
  const char* names[] = {"clamp", "load", "rail"};
  const char* columns[] = {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 6; ++i) {
      const auto name = std::string(names[c]) + "_" + columns[i];
      EXPECT_NEAR(row.at(name), expected[6 * c + i], 1e-13) << name; // some hundred terms of size one
      EXPECT_EQ(row_of(lines, 1).at(name), 0.0);
    }
}

} // namespace
} // namespace limber::output
