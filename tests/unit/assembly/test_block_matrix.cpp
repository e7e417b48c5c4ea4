#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

class MatTypeOption {
public:
  explicit MatTypeOption(const char* type) { LIMBER_PETSC(PetscOptionsSetValue(nullptr, "-mat_type", type)); }
  ~MatTypeOption() { PetscOptionsClearValue(nullptr, "-mat_type"); }
  MatTypeOption(const MatTypeOption&) = delete;
  MatTypeOption& operator=(const MatTypeOption&) = delete;
};

TEST(NodalSparsity, IsSymmetricAndSortedAndHoldsTheCells) {
  test::ThreeBodies scene;
  const auto sparsity = nodal_sparsity(scene.mesh);
  const auto n = scene.whole.node_count();
  std::vector<double> found(n * n, 0.0), expected(n * n, 0.0);
  for (std::size_t r = 0; r < std::size_t(scene.mesh.owned_nodes); ++r)
    for (auto e = sparsity.offsets[r]; e < sparsity.offsets[r + 1]; ++e) {
      const auto column = std::size_t(sparsity.columns[std::size_t(e)]);
      found[std::size_t(scene.mesh.ordinals[r]) * n + std::size_t(scene.mesh.ordinals[column])] += 1.0;
      EXPECT_EQ(sparsity.find(scene.mesh, LocalIndex(r), LocalIndex(column)), e);
      if (e > sparsity.offsets[r]) {
        EXPECT_LT(scene.mesh.global_numbers[std::size_t(sparsity.columns[std::size_t(e - 1)])],
                  scene.mesh.global_numbers[column]);
      }
    }
  base::global_sum(MPI_COMM_WORLD, found);
  for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        expected[std::size_t(scene.whole.cells[4 * c + a]) * n + std::size_t(scene.whole.cells[4 * c + b])] = 1.0;
  EXPECT_EQ(found, expected);
}

TEST(BlockMatrix, RefusesTypesOutsideAij) {
  test::ThreeBodies scene;
  const auto sparsity = nodal_sparsity(scene.mesh);
  for (const char* type : {"baij", "sbaij", "dense"}) {
    const MatTypeOption option(type);
    std::string text;
    try {
      BlockMatrix(scene.mesh, sparsity);
    } catch (const base::UserError& e) {
      text = e.what();
    }
    EXPECT_EQ(text.rfind("-mat_type: matrix type '", 0), 0u) << type << ": " << text;
    EXPECT_NE(text.find(type), std::string::npos) << text;
  }
}

TEST(BlockMatrix, TakesRelativesOfAij) {
  test::ThreeBodies scene;
  const auto expected = scene.hessian(scene.x, false);
  for (const char* type : {"aij", "aijperm"}) {
    const MatTypeOption option(type);
    IncrementalPotential potential(scene.mesh, scene.masses, scene.materials);
    potential.start_step({.target = scene.local(scene.x),
                          .scale = scene.reference.scale,
                          .gravity = scene.gravity,
                          .loads = {},
                          .constraints = scene.potential.constraints()});
    potential.assemble_hessian(scene.local(scene.x), false);
    EXPECT_TRUE(test::dense(scene.mesh, potential.matrix()) == expected) << type;
  }
}

TEST(BlockMatrix, KnowsItsBlocksAndSymmetry) {
  test::ThreeBodies scene;
  PetscInt block = 0;
  LIMBER_PETSC(MatGetBlockSize(scene.potential.matrix(), &block));
  EXPECT_EQ(block, 3);
  PetscBool known = PETSC_FALSE, symmetric = PETSC_FALSE;
  scene.potential.assemble_hessian(scene.local(scene.x), false);
  LIMBER_PETSC(MatIsSymmetricKnown(scene.potential.matrix(), &known, &symmetric));
  EXPECT_TRUE(known && symmetric);
}

TEST(BlockMatrix, MultipliesAsItsEntriesSay) {
  // PETSc caches things about a matrix; values written past it must be seen by its products.
  test::ThreeBodies scene;
  scene.potential.assemble_hessian(scene.local(scene.whole.points), false);
  const auto H = scene.hessian(scene.x, false);
  base::VecHandle u, y;
  LIMBER_PETSC(MatCreateVecs(scene.potential.matrix(), u.out(), y.out()));
  const auto values = test::random_numbers(scene.x.size(), 40);
  const auto local = scene.local(values);
  PetscScalar* entries = nullptr;
  LIMBER_PETSC(VecGetArray(u, &entries));
  std::copy_n(local.data(), 3 * std::size_t(scene.mesh.owned_nodes), entries);
  LIMBER_PETSC(VecRestoreArray(u, &entries));
  LIMBER_PETSC(MatMult(scene.potential.matrix(), u, y));
  std::vector<double> product(3 * std::size_t(scene.mesh.owned_nodes));
  LIMBER_PETSC(VecGetArray(y, &entries));
  std::copy_n(entries, product.size(), product.data());
  LIMBER_PETSC(VecRestoreArray(y, &entries));
  const auto found = test::to_whole(scene.mesh, product);
  const Eigen::VectorXd expected = H * Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size()));
  for (std::size_t i = 0; i < found.size(); ++i) // rows of at most 81 terms
    EXPECT_NEAR(found[i], expected[Eigen::Index(i)], 1e-14 * H.cwiseAbs().maxCoeff() * 10.0);
}

} // namespace
} // namespace limber::assembly
