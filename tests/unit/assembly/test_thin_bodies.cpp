/// Shells and springs beside a solid, assembled in parallel, against the scalar kernels cell by cell.

#include "assembly/loads.hpp"
#include "assembly_test_support.hpp"
#include "base/error.hpp"
#include "energies/spring.hpp"
#include "energies/triangle_p1.hpp"
#include "materials/membrane_arap.hpp"
#include "materials/membrane_neo_hookean.hpp"
#include "materials/membrane_st_venant_kirchhoff.hpp"

namespace limber::assembly {
namespace {

constexpr double stiffness = 3e3, mu = 4e4, lambda = 6e4; ///< [N/m], [Pa], [Pa]
constexpr double thickness = 0.02;                        ///< [m]

mesh::BodyMesh grid_body(mesh::BodyKind kind, double z, int columns, int rows) {
  mesh::BodyMeshOptions options;
  options.kind = kind;
  options.thickness = thickness;
  options.source.shape = mesh::GridMesh{.min = {0.0, 0.0, z},
                                        .max = {1.0, 0.7, z},
                                        .columns = columns,
                                        .rows = rows,
                                        .both_diagonals = kind == mesh::BodyKind::springs};
  return mesh::read_body_mesh(options);
}

materials::MaterialOptions model(const std::string& name) {
  return {.model = name, .density = 500.0, .lame_mu = mu, .lame_lambda = lambda, .stiffness = stiffness};
}

/// Three shells (18, 12, 8 triangles), springs and five tetrahedra.
struct ThinBodies {
  std::vector<mesh::BodyMesh> bodies{
      grid_body(mesh::BodyKind::shell, 0.0, 3, 3), grid_body(mesh::BodyKind::springs, 1.0, 3, 2),
      grid_body(mesh::BodyKind::shell, 2.0, 3, 2), grid_body(mesh::BodyKind::shell, 3.0, 2, 2),
      test::make_box({.cubes = {1, 1, 1}, .min = {0.0, 0.0, 5.0}, .leave_out = 1})};
  std::vector<BodyMass> masses{{500.0, {dofs::MassKind::consistent, 0.0}},
                               {500.0, {dofs::MassKind::lumped, 0.0}},
                               {500.0, {dofs::MassKind::lumped, 0.0}},
                               {0.0, {dofs::MassKind::per_node, 2.5}},
                               {1000.0, {dofs::MassKind::consistent, 0.0}}};
  std::vector<materials::MaterialOptions> materials{model("neo_hookean"), model("mass_spring"),
                                                    model("st_venant_kirchhoff"), model("arap"),
                                                    test::neo_hookean(1000.0, 1e5, 0.4)};
  test::WholeMesh whole = test::concatenate(bodies);
  mesh::DistributedMesh mesh = test::distribute(bodies);
  IncrementalPotential potential{mesh, masses, materials};
  std::vector<double> x = whole.points; ///< by ordinal, deformed

  ThinBodies() {
    const auto noise = test::random_numbers(x.size(), 11);
    for (std::size_t i = 0; i < x.size(); i += 3) {
      const double *X = whole.points.data() + i, *r = noise.data() + i;
      x[i] = 0.8 * X[0] + 0.1 * X[1] + 0.03 * r[0];
      x[i + 1] = 1.1 * X[1] + 0.03 * r[1];
      x[i + 2] = X[2] + 0.3 * X[0] * X[0] + 0.03 * r[2];
    }
    dofs::Constraints constraints;
    constraints.held.assign(3 * std::size_t(mesh.local_nodes), 0);
    constraints.displacement.assign(constraints.held.size(), 0.0);
    potential.start_step(
        {.inertia = false, .target = {}, .scale = 1.0, .gravity = {}, .loads = {}, .constraints = constraints});
  }

  /// f(cell nodes by ordinal, body) for every cell.
  template <class F> void for_each_cell(const F& f) const {
    LocalIndex first = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const std::size_t width = bodies[b].nodes_per_cell();
      for (std::size_t c = 0; c < bodies[b].cells.size(); c += width) {
        std::vector<std::size_t> nodes;
        for (std::size_t a = 0; a < width; ++a) nodes.push_back(std::size_t(first + bodies[b].cells[c + a]));
        f(nodes, b);
      }
      first += bodies[b].node_count();
    }
  }
};

struct CellResult {
  double energy = 0.0;
  double g[12] = {}, H[144] = {};
};

template <class Material>
CellResult triangle(const Material& material, const double* X, const double* x, bool project) {
  CellResult r;
  const auto rest = energies::make_triangle_rest(X, thickness);
  r.energy = energies::triangle_energy_gradient(material, rest, x, r.g);
  energies::triangle_hessian(material, rest, x, project, r.H);
  return r;
}

CellResult evaluate(std::size_t body, const double* X, const double* x, bool project) {
  CellResult r;
  if (body == 0) return triangle(materials::MembraneNeoHookean<double>{mu, lambda}, X, x, project);
  if (body == 2) return triangle(materials::MembraneStVenantKirchhoff<double>{mu, lambda}, X, x, project);
  if (body == 3) return triangle(materials::MembraneArap<double>{mu, lambda}, X, x, project);
  if (body == 1) {
    const energies::SpringStiffness<double> material{stiffness};
    const auto rest = energies::make_spring_rest(X);
    r.energy = energies::spring_energy_gradient(material, rest, x, r.g);
    energies::spring_hessian(material, rest, x, project, r.H);
    return r;
  }
  const materials::NeoHookean<double> material{materials::lame_mu(1e5, 0.4), materials::lame_lambda(1e5, 0.4)};
  const auto rest = energies::make_tetrahedron_rest(X);
  r.energy = energies::tetrahedron_energy_gradient(material, rest, x, r.g);
  energies::tetrahedron_hessian(material, rest, x, project, r.H);
  return r;
}

/// Sums of some ten terms of the size of the largest.
constexpr double round_off = 1e-12;

TEST(ThinBodies, assemble_what_the_kernels_say) {
  ThinBodies scene;
  const auto n = Eigen::Index(scene.x.size());
  for (const bool project : {false, true}) {
    double energy = 0.0;
    Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
    scene.for_each_cell([&](const std::vector<std::size_t>& nodes, std::size_t body) {
      const std::size_t width = 3 * nodes.size();
      double X[12], x[12];
      const auto at = [&](std::size_t i) { return Eigen::Index(3 * nodes[i / 3] + i % 3); };
      for (std::size_t i = 0; i < width; ++i) {
        X[i] = scene.whole.points[std::size_t(at(i))];
        x[i] = scene.x[std::size_t(at(i))];
      }
      const auto cell = evaluate(body, X, x, project);
      energy += cell.energy;
      for (std::size_t i = 0; i < width; ++i) {
        g[at(i)] += cell.g[i];
        for (std::size_t j = 0; j < width; ++j) H(at(i), at(j)) += cell.H[i + width * j];
      }
    });
    const auto local = test::to_local(scene.mesh, scene.x);
    const double found = base::global_sum(scene.mesh.comm, scene.potential.elastic().energy(local));
    EXPECT_NEAR(found, energy, round_off * energy);
    std::vector<double> owned(3 * std::size_t(scene.mesh.owned_nodes));
    scene.potential.gradient(local, owned.data());
    const auto gradient = test::to_whole(scene.mesh, owned);
    for (Eigen::Index i = 0; i < n; ++i)
      EXPECT_NEAR(gradient[std::size_t(i)], g[i], round_off * g.cwiseAbs().maxCoeff());
    scene.potential.assemble_hessian(local, project);
    const auto dense = test::dense(scene.mesh, scene.potential.matrix());
    EXPECT_LE((dense - H).cwiseAbs().maxCoeff(), round_off * H.cwiseAbs().maxCoeff());
  }
}

TEST(ThinBodies, masses) {
  ThinBodies scene;
  const auto masses = scene.potential.body_masses();
  const double sheet = 500.0 * 0.7 * thickness;
  EXPECT_NEAR(masses[0], sheet, 1e-14 * sheet);
  EXPECT_NEAR(masses[1], sheet, 1e-14 * sheet);
  EXPECT_NEAR(masses[2], sheet, 1e-14 * sheet);
  EXPECT_NEAR(masses[3], 9 * 2.5, 1e-13);
  // Nodal masses of the shell: a third of the triangles at each; of the springs the same lumped mass per cell corner.
  const NodalSparsity sparsity = nodal_sparsity(scene.mesh);
  const MassMatrix matrix(scene.mesh, sparsity, scene.masses);
  const std::vector<double> one(3 * std::size_t(scene.mesh.local_nodes), 1.0);
  std::vector<double> product;
  matrix.multiply(one, product);
  const auto nodal = test::to_whole(scene.mesh, product);
  EXPECT_NEAR(nodal[0], 500.0 * thickness * (1.0 / 3.0) * (0.7 / 3.0) / 3.0, 1e-14); // corner 0: two halves of a cell
  EXPECT_NEAR(nodal[3 * 16], 500.0 * thickness * (1.0 / 3.0) * 0.35 / 4.0, 1e-14);   // springs: a quarter
}

TEST(ThinBodies, step_is_bounded_by_collapse_where_the_energy_is_infinite_there) {
  ThinBodies scene;
  const auto rest = test::to_local(scene.mesh, scene.whole.points);
  for (const std::size_t body : {0u, 1u, 2u, 3u}) {
    // The body shrinks along y to a line at α = 1/2, and turns over.
    std::vector<double> p(scene.x.size(), 0.0);
    for (std::size_t i = 0; i < p.size(); i += 3)
      if (scene.whole.node_bodies[i / 3] == std::int32_t(body)) p[i + 1] = -2.0 * scene.whole.points[i + 1];
    const double bound = scene.potential.max_step_size(rest, test::to_local(scene.mesh, p));
    EXPECT_NEAR(bound, body == 0 ? 0.45 : 1.0, 1e-11) << body; // a tenth of the area is left
    // Shells are looked at everywhere, springs have no area.
    auto x = scene.whole.points;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.4 * p[i];
    const auto worst = scene.potential.min_jacobian(test::to_local(scene.mesh, x));
    EXPECT_NEAR(worst.jacobian, body == 1 ? 1.0 : 0.2, 1e-13) << body;
  }
  EXPECT_GE(scene.potential.min_jacobian(rest, true).cell_id, 0);
}

TEST(ThinBodies, stress_of_a_stretched_shell) {
  ThinBodies scene;
  auto x = scene.whole.points;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    x[i] *= 1.2;
    x[i + 1] *= 0.9;
  }
  const auto fields = scene.potential.elastic().cell_fields(test::to_local(scene.mesh, x));
  const double J = 1.2 * 0.9;
  for (LocalIndex c = 0; c < scene.mesh.counted_cells; ++c) {
    const auto body = scene.mesh.cell_bodies[std::size_t(c)];
    const auto& sigma = fields.stress[std::size_t(c)];
    // J σ = μ (F Fᵀ − I) + λ ln J I, of size 1e4 Pa.
    if (body == 0) {
      EXPECT_NEAR(sigma[0], (mu * (1.44 - 1.0) + lambda * std::log(J)) / J, 1e-9);
      EXPECT_NEAR(sigma[1], (mu * (0.81 - 1.0) + lambda * std::log(J)) / J, 1e-9);
      for (const std::size_t zero : {2u, 3u, 4u, 5u}) EXPECT_NEAR(sigma[zero], 0.0, 1e-9);
      EXPECT_NEAR(fields.jacobian[std::size_t(c)], J, 1e-14);
    }
    if (body != 1) continue;
    for (const double entry : sigma) EXPECT_EQ(entry, 0.0); // springs have no stress
  }
}

dofs::ConditionOptions load(dofs::ConditionKind kind, int body) {
  dofs::ConditionOptions options;
  options.name = "load";
  options.body = "body" + std::to_string(body);
  options.kind = kind;
  options.pressure = dofs::Expression::parse("100");
  options.value = {dofs::Expression::parse("1"), dofs::Expression::parse("2"), dofs::Expression::parse("3")};
  return options;
}

TEST(ThinBodies, loads_act_on_shells_and_not_on_springs) {
  ThinBodies scene;
  Loads loads(scene.mesh, {load(dofs::ConditionKind::pressure, 0), load(dofs::ConditionKind::body_force, 2)}, {});
  EXPECT_EQ(loads.regions()[0].stencils, 18);
  EXPECT_NEAR(loads.regions()[0].measure, 0.7, 1e-14);
  EXPECT_NEAR(loads.regions()[1].measure, 0.7 * thickness, 1e-15);
  std::vector<double> forces;
  loads.evaluate(1.0, scene.mesh.rest_positions, forces);
  Vector3 pressed{}, pulled{};
  const auto all = test::to_whole(scene.mesh, forces);
  for (std::size_t i = 0; i < all.size(); ++i)
    (scene.whole.node_bodies[i / 3] == 0 ? pressed : pulled)[i % 3] += all[i];
  EXPECT_NEAR(pressed[2], -100.0 * 0.7, 1e-12); // normals by the order of the vertices: along z
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(pulled[k], double(k + 1) * 0.7 * thickness, 1e-14);
  EXPECT_THROW(Loads(scene.mesh, {load(dofs::ConditionKind::traction, 1)}, {}), base::UserError);
  EXPECT_THROW(Loads(scene.mesh, {load(dofs::ConditionKind::body_force, 1)}, {}), base::UserError);
}

} // namespace
} // namespace limber::assembly
