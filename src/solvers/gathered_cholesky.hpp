#pragma once
/// Sparse Cholesky of a distributed matrix, gathered to rank 0 and factored there by CHOLMOD: for small problems, and
/// the same to the last bit in every run.

#include <memory>

#include "base/petsc.hpp"

namespace limber::solvers {

class GatheredCholesky {
public:
  GatheredCholesky();
  ~GatheredCholesky();
  GatheredCholesky(const GatheredCholesky&) = delete;
  GatheredCholesky& operator=(const GatheredCholesky&) = delete;

  /// What factoring the symmetric AIJ matrix would take, from its pattern alone. Collective.
  struct Estimate {
    double flops = 0.0;
    double bytes = 0.0; ///< of the factor, on rank 0
    bool possible = false;
  };
  Estimate estimate(Mat matrix);
  /// Gives back all memory. Collective.
  void forget();

  /// Factors the symmetric AIJ matrix; the symbolic part is kept while the same matrix object comes back.
  /// \return false if it is not positive definite or memory ran out. Collective.
  bool factor(Mat matrix);
  /// Collective.
  void solve(Vec rhs, Vec solution);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace limber::solvers
