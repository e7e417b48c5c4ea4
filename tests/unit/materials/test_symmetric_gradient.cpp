#include <gtest/gtest.h>

#include "materials/symmetric_gradient.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::SymmetricGradient<T>{T(5.0)}; });

TEST(SymmetricGradient, agrees_with_the_reference) { test::check_material(material, "symmetric_gradient", 7.5); }

TEST(SymmetricGradient, passes_the_common_checks) { test::check_common(material, {.mu = 5.0, .lambda = 0.0}); }

} // namespace
