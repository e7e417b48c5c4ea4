#include "assembly/elastic_cells_of.hpp"
#include "materials/linear.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_linear_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::Linear>(kind, set);
}

} // namespace limber::assembly
