#include "assembly/elastic_cells_of.hpp"
#include "materials/corotated_linear.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_corotated_linear_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::CorotatedLinear>(kind, set);
}

} // namespace limber::assembly
