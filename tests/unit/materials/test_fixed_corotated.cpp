#include <gtest/gtest.h>

#include "materials/fixed_corotated.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::FixedCorotated<T>{T(3.0), T(7.0)}; });

TEST(FixedCorotated, agrees_with_the_reference) { test::check_material(material, "fixed_corotated"); }

TEST(FixedCorotated, passes_the_common_checks) {
  test::check_common(material, {.mu = 3.0, .lambda = 7.0, .smooth = false});
}

} // namespace
