#include "assembly/elastic_cells_of.hpp"
#include "materials/fixed_corotated.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_fixed_corotated_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::FixedCorotated>(kind, set);
}

} // namespace limber::assembly
