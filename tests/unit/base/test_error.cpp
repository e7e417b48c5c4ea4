#include <gtest/gtest.h>

#include "base/error.hpp"

namespace limber::base {
namespace {

std::string text(const ErrorContext& context) { return UserError("message", context).what(); }

TEST(UserError, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(text({}), "message");
  EXPECT_EQ(text({"a.yaml", 0, "", ""}), "a.yaml: message");
  EXPECT_EQ(text({"a.yaml", 3, "", ""}), "a.yaml:3: message");
  EXPECT_EQ(text({"", 3, "bodies[0].mesh", ""}), "bodies[0].mesh: message"); // a line without a file says nothing
  EXPECT_EQ(text({"", 0, "", "Do this."}), "message\n  Do this.");
  EXPECT_EQ(text({"a.yaml", 3, "key", "Do this."}), "a.yaml:3: key: message\n  Do this.");
}

TEST(UserError, KeepsItsParts) {
  const UserError error("message", {"file", 3, "key", "advice"});
  EXPECT_EQ(error.message(), "message");
  EXPECT_EQ(error.context().key, "key");
}

} // namespace
} // namespace limber::base
