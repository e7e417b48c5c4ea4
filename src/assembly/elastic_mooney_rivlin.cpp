#include "assembly/elastic_cells_of.hpp"
#include "materials/mooney_rivlin.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_mooney_rivlin_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::MooneyRivlin>(kind, set);
}

} // namespace limber::assembly
