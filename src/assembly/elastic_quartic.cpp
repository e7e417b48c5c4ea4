#include "assembly/elastic_cells_of.hpp"
#include "materials/quartic.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_quartic_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::Quartic>(kind, set);
}

} // namespace limber::assembly
