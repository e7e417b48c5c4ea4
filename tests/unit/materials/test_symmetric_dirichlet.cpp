#include <gtest/gtest.h>

#include "materials/symmetric_dirichlet.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::SymmetricDirichlet<T>{T(5.0)}; });

TEST(SymmetricDirichlet, agrees_with_the_reference) { test::check_material(material, "symmetric_dirichlet", 15.0); }

TEST(SymmetricDirichlet, passes_the_common_checks) { test::check_common(material, {.mu = 10.0, .lambda = 0.0}); }

} // namespace
