#include <gtest/gtest.h>

#include "materials/arap.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::Arap<T>{T(3.0)}; });

TEST(Arap, agrees_with_the_reference) { test::check_material(material, "arap_book"); }

TEST(Arap, is_half_kappa_in_the_other_form) { test::check_material(materials::Arap<double>{2.5}, "arap_kappa"); }

TEST(Arap, passes_the_common_checks) { test::check_common(material, {.mu = 3.0, .lambda = 0.0, .smooth = false}); }

} // namespace
