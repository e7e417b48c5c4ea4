#include "assembly/elastic_cells_of.hpp"
#include "materials/stable_neo_hookean.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_stable_neo_hookean_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::StableNeoHookean>(kind, set);
}

} // namespace limber::assembly
