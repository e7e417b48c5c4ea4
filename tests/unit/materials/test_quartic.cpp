#include <gtest/gtest.h>

#include "materials/quartic.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::Quartic<T>{T(3.0)}; });

TEST(Quartic, agrees_with_the_reference) { test::check_material(material, "quartic_13_3_2"); }

TEST(Quartic, passes_the_common_checks) { test::check_common(material, {.mu = 3.0, .lambda = 0.0}); }

} // namespace
