#include "assembly/elastic_cells_of.hpp"
#include "materials/arap.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_arap_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::Arap>(kind, set);
}

} // namespace limber::assembly
