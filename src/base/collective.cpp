#include "base/collective.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"

namespace limber::base {
namespace {

enum class Kind : int { none, user, io, other };

struct Failure {
  Kind kind = Kind::none;
  std::string text; ///< message for user errors, what() for the others
  ErrorContext context;
};

Failure run(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const UserError& e) {
    return {Kind::user, e.message(), e.context()};
  } catch (const IoError& e) {
    return {Kind::io, e.what(), {}};
  } catch (const std::exception& e) {
    return {Kind::other, e.what(), {}};
  } catch (...) {
    return {Kind::other, "an exception of unknown type", {}};
  }
}

void broadcast_text(MPI_Comm comm, std::string& text, int root) {
  std::int64_t n = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&n, 1, MPI_INT64_T, root, comm);
  text.resize(static_cast<std::size_t>(n));
  MPI_Bcast(text.data(), static_cast<int>(n), MPI_CHAR, root, comm);
}

} // namespace

int rank(MPI_Comm comm) {
  int r = 0;
  MPI_Comm_rank(comm, &r);
  return r;
}

int size(MPI_Comm comm) {
  int s = 1;
  MPI_Comm_size(comm, &s);
  return s;
}

void all_or_throw(MPI_Comm comm, const std::function<void()>& work) {
  Failure failure = run(work);
  int root = failure.kind == Kind::none ? size(comm) : rank(comm);
  MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MIN, comm);
  if (root == size(comm)) return;

  int kind = static_cast<int>(failure.kind);
  MPI_Bcast(&kind, 1, MPI_INT, root, comm);
  MPI_Bcast(&failure.context.line, 1, MPI_INT, root, comm);
  for (std::string* text : {&failure.text, &failure.context.file, &failure.context.key, &failure.context.advice})
    broadcast_text(comm, *text, root);
  switch (static_cast<Kind>(kind)) {
  case Kind::user:
    throw UserError(failure.text, failure.context);
  case Kind::io:
    throw IoError(failure.text);
  default:
    throw InternalError(failure.text);
  }
}

double global_sum(MPI_Comm comm, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
  return x;
}

void global_sum(MPI_Comm comm, std::vector<double>& x) {
  MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_DOUBLE, MPI_SUM, comm);
}

GlobalIndex global_sum(MPI_Comm comm, GlobalIndex x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT64_T, MPI_SUM, comm);
  return x;
}

double global_min(MPI_Comm comm, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MIN, comm);
  return x;
}

double global_max(MPI_Comm comm, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, comm);
  return x;
}

bool global_or(MPI_Comm comm, bool x) {
  int value = x ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, comm);
  return value != 0;
}

void broadcast(MPI_Comm comm, std::string& text) { broadcast_text(comm, text, 0); }

void broadcast_bytes(MPI_Comm comm, std::vector<char>& bytes) {
  std::int64_t n = static_cast<std::int64_t>(bytes.size());
  MPI_Bcast(&n, 1, MPI_INT64_T, 0, comm);
  bytes.resize(static_cast<std::size_t>(n));
  constexpr std::int64_t chunk = std::int64_t{1} << 30; // counts of MPI 3 are 32-bit
  for (std::int64_t begin = 0; begin < n; begin += chunk)
    MPI_Bcast(bytes.data() + begin, static_cast<int>(std::min(chunk, n - begin)), MPI_BYTE, 0, comm);
}

} // namespace limber::base
