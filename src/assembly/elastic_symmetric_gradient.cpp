#include "assembly/elastic_cells_of.hpp"
#include "materials/symmetric_gradient.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_symmetric_gradient_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::SymmetricGradient>(kind, set);
}

} // namespace limber::assembly
