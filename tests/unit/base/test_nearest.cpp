#include <gtest/gtest.h>

#include "base/nearest.hpp"

namespace limber::base {
namespace {

TEST(Nearest, EditDistance) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3); // the textbook example
  EXPECT_EQ(edit_distance("nmae", "name"), 1);      // a swap
  EXPECT_EQ(edit_distance("same", "same"), 0);
}

TEST(Nearest, IgnoresCaseAndTakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("NAME", {"node", "name"}), "name");
  EXPECT_EQ(nearest("name", {"node", "NAME"}), "NAME");
  EXPECT_EQ(nearest("ba", {"bb", "bc"}), "bb");
  EXPECT_EQ(nearest("x", {}), "");
}

} // namespace
} // namespace limber::base
