#include <Eigen/Dense>

#include "solvers/gathered_cholesky.hpp"
#include "solvers_test_support.hpp"

namespace limber::solvers {
namespace {

/// A symmetric AIJ matrix on all ranks: Aᵢⱼ for |i − j| ≤ 3, diagonal given. Ranks own unequal parts, the last none
/// where there are several.
class BandMatrix {
public:
  BandMatrix(PetscInt n, double diagonal) : n_(n) {
    const int ranks = base::size(MPI_COMM_WORLD), rank = base::rank(MPI_COMM_WORLD);
    const PetscInt owners = ranks > 1 ? ranks - 1 : 1;
    const PetscInt local = rank < owners ? n / owners + (rank < n % owners ? 1 : 0) : 0;
    LIMBER_PETSC(MatCreateAIJ(MPI_COMM_WORLD, local, local, n, n, 7, nullptr, 7, nullptr, matrix_.out()));
    fill(diagonal);
  }
  static double entry(PetscInt i, PetscInt j, double diagonal) {
    return i == j ? diagonal + 0.1 * double(i % 5) : -1.0 / double(1 + std::abs(i - j)) + 0.01 * double((i + j) % 7);
  }
  void fill(double diagonal) {
    diagonal_ = diagonal;
    PetscInt begin = 0, end = 0;
    LIMBER_PETSC(MatGetOwnershipRange(matrix_, &begin, &end));
    for (PetscInt i = begin; i < end; ++i)
      for (PetscInt j = std::max<PetscInt>(0, i - 3); j <= std::min<PetscInt>(n_ - 1, i + 3); ++j)
        LIMBER_PETSC(MatSetValue(matrix_, i, j, entry(i, j, diagonal), INSERT_VALUES));
    LIMBER_PETSC(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    LIMBER_PETSC(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  }
  /// Solves with the factor, compares with a dense solve.
  void expect_solved_by(GatheredCholesky& cholesky) const {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n_, n_);
    Eigen::VectorXd b(n_);
    for (PetscInt i = 0; i < n_; ++i) {
      b[i] = std::sin(double(i));
      for (PetscInt j = std::max<PetscInt>(0, i - 3); j <= std::min<PetscInt>(n_ - 1, i + 3); ++j)
        A(i, j) = entry(i, j, diagonal_);
    }
    const Eigen::VectorXd expected = A.ldlt().solve(b);
    base::VecHandle rhs, solution;
    LIMBER_PETSC(MatCreateVecs(matrix_, rhs.out(), solution.out()));
    PetscInt begin = 0, end = 0;
    LIMBER_PETSC(VecGetOwnershipRange(rhs, &begin, &end));
    for (PetscInt i = begin; i < end; ++i) LIMBER_PETSC(VecSetValue(rhs, i, b[i], INSERT_VALUES));
    LIMBER_PETSC(VecAssemblyBegin(rhs));
    LIMBER_PETSC(VecAssemblyEnd(rhs));
    cholesky.solve(rhs, solution);
    const auto found = test::entries(solution);
    for (PetscInt i = begin; i < end; ++i) // condition number below 10
      EXPECT_NEAR(found[std::size_t(i - begin)], expected[i], 1e-14) << i;
  }
  Mat get() const { return matrix_.get(); }

private:
  PetscInt n_;
  double diagonal_ = 0.0;
  base::MatHandle matrix_;
};

TEST(GatheredCholesky, SolvesLikeADenseSolver) {
  const BandMatrix matrix(50, 4.0);
  GatheredCholesky cholesky;
  ASSERT_TRUE(cholesky.factor(matrix.get()));
  matrix.expect_solved_by(cholesky);
}

TEST(GatheredCholesky, FactorsNewValuesOfTheSameMatrix) {
  BandMatrix matrix(50, 4.0);
  GatheredCholesky cholesky;
  ASSERT_TRUE(cholesky.factor(matrix.get()));
  matrix.fill(7.0);
  ASSERT_TRUE(cholesky.factor(matrix.get()));
  matrix.expect_solved_by(cholesky);
}

TEST(GatheredCholesky, RefusesAnIndefiniteMatrixAndRecovers) {
  BandMatrix matrix(50, 0.5);
  GatheredCholesky cholesky;
  EXPECT_FALSE(cholesky.factor(matrix.get()));
  matrix.fill(4.0);
  ASSERT_TRUE(cholesky.factor(matrix.get()));
  matrix.expect_solved_by(cholesky);
  matrix.fill(-4.0);
  EXPECT_FALSE(cholesky.factor(matrix.get()));
}

TEST(GatheredCholesky, TakesAnotherMatrixAfterwards) {
  GatheredCholesky cholesky;
  for (PetscInt n : {50, 20, 70, 20}) { // a new matrix may well get the address of one that is gone
    const BandMatrix matrix(n, 4.0);
    ASSERT_TRUE(cholesky.factor(matrix.get()));
    matrix.expect_solved_by(cholesky);
  }
}

TEST(GatheredCholesky, RepeatsItselfBitwise) {
  test::Bar bar;
  auto& potential = bar.potential;
  potential.assemble_hessian(bar.local(bar.stretched({1.1, 0.9, 1.0})), true);
  const auto rhs = test::make_vector(bar.mesh, potential.matrix(), test::random_numbers(bar.whole.points.size(), 1));
  std::vector<double> first;
  for (int round = 0; round < 3; ++round) {
    GatheredCholesky cholesky;
    ASSERT_TRUE(cholesky.factor(potential.matrix()));
    base::VecHandle solution;
    LIMBER_PETSC(VecDuplicate(rhs, solution.out()));
    cholesky.solve(rhs, solution);
    if (round == 0) first = test::entries(solution);
    EXPECT_EQ(test::entries(solution), first);
    EXPECT_LE(test::relative_residual(potential.matrix(), solution, rhs), 1e-12); // backward stable, with room
  }
}

} // namespace
} // namespace limber::solvers
