#include <gtest/gtest.h>

#include "materials/mooney_rivlin.hpp"
#include "unit/materials/material_checks.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;

const auto material = test::view([]<class T>() { return materials::MooneyRivlin<T>{T(3.0), T(2.0), T(11.0)}; });

TEST(MooneyRivlin, agrees_with_the_reference) {
  test::check_material(material, "mooney_rivlin", 0.0, "mooney_rivlin.json", "mooney_rivlin.json");
}

TEST(MooneyRivlin, passes_the_common_checks) {
  test::check_common(material, {.mu = 10.0, .lambda = 11.0 - 20.0 / 3.0});
}

} // namespace
