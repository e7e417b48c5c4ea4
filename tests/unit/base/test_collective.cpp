#include <gtest/gtest.h>
#include <new>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace limber::base {
namespace {

const MPI_Comm comm = MPI_COMM_WORLD;
int me() { return rank(comm); }
int last() { return size(comm) - 1; }

/// Runs all_or_throw with work that throws on the last rank only; returns the text that this rank sees.
template <class Expected, class Thrown> std::string thrown_by_last(const Thrown& error) {
  try {
    all_or_throw(comm, [&] {
      if (me() == last()) throw error;
    });
  } catch (const Expected& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another kind: ") + e.what();
  }
  return "nothing thrown";
}

TEST(AllOrThrow, PassesWhereNothingIsThrown) {
  int calls = 0;
  EXPECT_NO_THROW(all_or_throw(comm, [&] { ++calls; }));
  EXPECT_EQ(calls, 1);
}

TEST(AllOrThrow, KeepsKindAndText) {
  EXPECT_EQ((thrown_by_last<IoError>(IoError("disk full"))), "disk full");
  EXPECT_EQ((thrown_by_last<InternalError>(InternalError("defect"))), "defect");
  EXPECT_EQ((thrown_by_last<InternalError>(std::out_of_range("index"))), "index");
  EXPECT_EQ((thrown_by_last<InternalError>(std::bad_alloc())), std::bad_alloc().what());
  EXPECT_EQ((thrown_by_last<UserError>(UserError("no such group", {"a.yaml", 7, "bodies[0]", "Look again."}))),
            "a.yaml:7: bodies[0]: no such group\n  Look again.");
  EXPECT_EQ((thrown_by_last<IoError>(IoError(""))), "");
}

TEST(AllOrThrow, OtherObjectsReachEveryRankToo) {
  EXPECT_THROW(all_or_throw(comm,
                            [] {
                              if (me() == last()) throw 42;
                            }),
               InternalError);
}

TEST(AllOrThrow, KeepsTheContextOfUserErrors) {
  bool thrown = false;
  try {
    all_or_throw(comm, [] {
      if (me() == last()) throw UserError("message", {"file", 3, "key", "advice"});
    });
  } catch (const UserError& e) {
    thrown = true;
    EXPECT_EQ(e.message(), "message");
    EXPECT_EQ(e.context().file, "file");
    EXPECT_EQ(e.context().line, 3);
    EXPECT_EQ(e.context().key, "key");
    EXPECT_EQ(e.context().advice, "advice");
  }
  EXPECT_TRUE(thrown);
}

TEST(AllOrThrow, TheLowestRankIsQuoted) {
  const int first = last() > 0 ? 1 : 0;
  std::string text;
  try {
    all_or_throw(comm, [&] {
      // Kinds differ on purpose: kind and text must come from the same rank.
      if (me() == first) throw IoError("rank " + std::to_string(me()));
      if (me() > first) throw UserError("rank " + std::to_string(me()));
    });
  } catch (const IoError& e) {
    text = e.what();
  } catch (const std::exception& e) {
    text = std::string("another kind: ") + e.what();
  }
  EXPECT_EQ(text, "rank " + std::to_string(first));
}

TEST(Reductions, GiveTheSameOnEveryRank) {
  const int n = size(comm);
  EXPECT_EQ(global_sum(comm, me() + 0.5), 0.5 * n + 0.5 * n * (n - 1));
  EXPECT_EQ(global_sum(comm, GlobalIndex{1} << 40), GlobalIndex(n) << 40);
  EXPECT_EQ(global_min(comm, me() - 2.5), -2.5);
  EXPECT_EQ(global_max(comm, me() - 2.5), n - 3.5);
  EXPECT_TRUE(global_or(comm, me() == last()));
  EXPECT_FALSE(global_or(comm, false));
  std::vector<double> values{1.0, double(me())}, none;
  global_sum(comm, values);
  EXPECT_EQ(values, (std::vector<double>{double(n), 0.5 * n * (n - 1)}));
  EXPECT_NO_THROW(global_sum(comm, none));
}

TEST(Broadcast, SendsTextAndBytesOfRankZero) {
  for (const std::string& sent :
       {std::string(), std::string("text"), std::string("a\0b", 3), std::string(1 << 20, 'x')}) {
    std::string text = me() == 0 ? sent : "something longer than what is sent";
    broadcast(comm, text);
    EXPECT_EQ(text, sent);
    std::vector<char> bytes(5, 'y');
    if (me() == 0) bytes.assign(sent.begin(), sent.end());
    broadcast_bytes(comm, bytes);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), sent);
  }
}

} // namespace
} // namespace limber::base
