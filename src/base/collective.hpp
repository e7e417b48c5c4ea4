#pragma once
/// Collective error handling: no rank throws alone between collectives.

#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace limber::base {

int rank(MPI_Comm comm);
int size(MPI_Comm comm);

/// Runs `work` on this rank; if it throws on any rank, every rank throws the error of the lowest such
/// rank, with its kind and text kept. `work` itself must not communicate. Collective.
void all_or_throw(MPI_Comm comm, const std::function<void()>& work);

/// Sums, in an order that depends only on the number of ranks. Collective.
double global_sum(MPI_Comm comm, double x);
void global_sum(MPI_Comm comm, std::vector<double>& x);
GlobalIndex global_sum(MPI_Comm comm, GlobalIndex x);
double global_min(MPI_Comm comm, double x);
double global_max(MPI_Comm comm, double x);
bool global_or(MPI_Comm comm, bool x);

/// Broadcasts from rank 0. Collective.
void broadcast(MPI_Comm comm, std::string& text);
void broadcast_bytes(MPI_Comm comm, std::vector<char>& bytes);

} // namespace limber::base
