#include <gtest/gtest.h>

#include "materials/linear.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::Linear<T>{T(3.0), T(7.0)}; });

TEST(Linear, agrees_with_the_reference) { test::check_material(material, "linear"); }

TEST(Linear, passes_the_common_checks) { test::check_common(material, {.mu = 3.0, .lambda = 7.0, .turns = false}); }

} // namespace
