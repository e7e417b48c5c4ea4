#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <vector>

#include "integrators/step_control.hpp"

namespace limber::integrators {
namespace {

/// Runs to the end; `fails(step)` says whether the n-th attempt fails.
struct History {
  std::vector<double> times, sizes;
};
template <class Fails> History run(StepControl& control, double time, Fails&& fails) {
  History result;
  for (int attempt = 0; !control.finished(time) && attempt < 100000; ++attempt) {
    const double h = control.next(time);
    EXPECT_GT(h, 0.0);
    if (fails(attempt)) {
      EXPECT_TRUE(control.rejected(h));
      continue;
    }
    time = control.advance(time, h);
    control.accepted();
    result.times.push_back(time);
    result.sizes.push_back(h);
  }
  EXPECT_TRUE(control.finished(time));
  return result;
}
const auto never = [](int) { return false; };

/// Keeps doubles by name; reads what was written.
class MemoryArchive : public base::Archive {
public:
  bool reading() const override { return reads; }
  void value(const std::string& name, double& x) override {
    if (reads) x = doubles.at(name);
    else doubles[name] = x;
  }
  void value(const std::string&, std::int64_t&) override {}
  void value(const std::string&, std::string&) override {}
  void value(const std::string&, std::vector<double>&) override {}
  void value(const std::string&, std::vector<std::int64_t>&) override {}
  void node_field(const std::string&, std::vector<double>&, int) override {}
  bool reads = false;
  std::map<std::string, double> doubles;
};

TEST(StepControl, FullStepsHaveTheSameBits) {
  for (double nominal : {0.01, 1.0 / 3.0, 0.1, 1e-4}) {
    const int steps = 3000;
    StepControl control(nominal, steps * nominal, 4);
    const History r = run(control, 0.0, never);
    ASSERT_EQ(r.times.size(), std::size_t(steps)) << nominal;
    for (std::size_t i = 0; i < r.times.size(); ++i) {
      ASSERT_EQ(r.sizes[i], nominal) << i;
      ASSERT_EQ(r.times[i], nominal * double(i + 1)) << i; // no drift
    }
  }
}

TEST(StepControl, TheLastStepIsShortened) {
  StepControl control(0.3, 1.0, 4);
  const History r = run(control, 0.0, never);
  ASSERT_EQ(r.sizes.size(), 4u);
  EXPECT_EQ(r.times.back(), 1.0);
  EXPECT_EQ(r.sizes[2], 0.3);
  EXPECT_NEAR(r.sizes[3], 0.1, 1e-15); // a difference of numbers of size one
}

TEST(StepControl, ADurationThatRoundsOffTheGridNeedsNoExtraStep) {
  // 10 · 0.1 summed differs from 1 in the last bit, 0.7/0.1 is 6.999…
  for (double duration : {1.0, 0.7, 0.1 + 0.1 + 0.1, 2.3}) {
    StepControl control(0.1, duration, 4);
    const History r = run(control, 0.0, never);
    EXPECT_EQ(r.sizes.size(), std::size_t(std::lround(duration / 0.1))) << duration;
    // The multiple of the step, to the last bit, however the duration was written.
    EXPECT_EQ(r.times.back(), 0.1 * double(r.sizes.size()));
    for (double h : r.sizes) EXPECT_EQ(h, 0.1);
  }
}

TEST(StepControl, OneStepMayBeTheWholeRun) {
  StepControl control(5.0, 2.0, 4);
  const History r = run(control, 0.0, never);
  EXPECT_EQ(r.sizes, std::vector<double>{2.0});
  EXPECT_EQ(r.times, std::vector<double>{2.0});
}

TEST(StepControl, HalvedStepsLeadBackToTheGrid) {
  const double nominal = 0.1;
  StepControl control(nominal, 1.0, 8);
  // Attempts 2, 3, 4 fail: the third step is done in eighths first.
  const History r = run(control, 0.0, [](int attempt) { return attempt >= 2 && attempt <= 4; });
  const std::vector<double> expected{1, 1, 0.125, 0.25, 0.5, 0.125, 1, 1, 1, 1, 1, 1, 1};
  ASSERT_EQ(r.sizes.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(r.sizes[i], nominal * expected[i], 1e-15) << i; // times of size one are subtracted
  for (std::size_t i = 5; i < r.times.size(); ++i)
    EXPECT_EQ(r.times[i], i + 1 == r.times.size() ? 1.0 : nominal * double(i - 2));
  EXPECT_EQ(r.sizes.back(), nominal);
}

TEST(StepControl, EveryPatternOfFailuresReachesEveryGridPoint) {
  const double nominal = 0.01, duration = 0.125;
  for (unsigned seed = 1; seed < 200; ++seed) {
    StepControl control(nominal, duration, 1000);
    unsigned state = seed;
    const History r = run(control, 0.0, [&](int) {
      state = state * 1664525u + 1013904223u;
      return (state >> 24) < 90; // about a third
    });
    std::size_t grid = 1;
    double previous = 0.0;
    for (double t : r.times) {
      EXPECT_GT(t, previous);
      if (t == nominal * double(grid)) ++grid;
      EXPECT_LT(t, nominal * double(grid)) << "passed over a grid point, seed " << seed;
      previous = t;
    }
    EXPECT_EQ(grid, 13u) << seed; // 12 whole steps, then half a one
    EXPECT_EQ(r.times.back(), duration);
  }
}

TEST(StepControl, RejectionsAreBounded) {
  for (int max_halvings : {0, 1, 5}) {
    StepControl control(0.1, 1.0, max_halvings);
    int halvings = 0;
    while (control.rejected(control.next(0.0)) && halvings < 100) {
      ++halvings;
      EXPECT_EQ(control.next(0.0), std::ldexp(0.1, -halvings));
    }
    EXPECT_EQ(halvings, max_halvings);
  }
}

TEST(StepControl, ARestartContinuesWithTheSameSizes) {
  StepControl first(0.1, 1.0, 8);
  EXPECT_TRUE(first.rejected(first.next(0.2)));
  EXPECT_TRUE(first.rejected(first.next(0.2)));
  MemoryArchive archive;
  first.serialize(archive);
  EXPECT_EQ(first.next(0.2), 0.025) << "writing must not change anything";
  archive.reads = true;
  StepControl second(0.1, 1.0, 8);
  second.serialize(archive);
  EXPECT_EQ(second.next(0.2), first.next(0.2));
}

TEST(StepControl, ARestartMayChangeNominalSizeAndDuration) {
  StepControl first(0.1, 1.0, 8);
  MemoryArchive archive;
  first.serialize(archive);
  archive.reads = true;
  StepControl second(0.04, 2.0, 8);
  second.serialize(archive);
  const History r = run(second, 0.3, never); // 0.3 = 7.5 · 0.04: one half step to the new grid
  EXPECT_NEAR(r.sizes[0], 0.02, 1e-15);
  for (std::size_t i = 1; i < r.sizes.size(); ++i) EXPECT_EQ(r.sizes[i], 0.04);
  EXPECT_EQ(r.times.back(), 2.0);
}

TEST(StepControl, IsFinishedWithinRoundOffOfTheEnd) {
  const StepControl control(0.1, 1.0, 8);
  EXPECT_TRUE(control.finished(1.0 - 1e-15));
  EXPECT_TRUE(control.finished(1.5));
  EXPECT_FALSE(control.finished(1.0 - 1e-6));
}

} // namespace
} // namespace limber::integrators
