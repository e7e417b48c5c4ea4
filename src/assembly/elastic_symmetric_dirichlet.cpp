#include "assembly/elastic_cells_of.hpp"
#include "materials/symmetric_dirichlet.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_symmetric_dirichlet_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::SymmetricDirichlet>(kind, set);
}

} // namespace limber::assembly
