#include "assembly/elastic_cells_of.hpp"
#include "materials/quartic_volume.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_quartic_volume_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::QuarticVolume>(kind, set);
}

} // namespace limber::assembly
