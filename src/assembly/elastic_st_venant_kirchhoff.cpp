#include "assembly/elastic_cells_of.hpp"
#include "materials/st_venant_kirchhoff.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_st_venant_kirchhoff_cells(ElementKind kind, const CellSet& set) {
  return make_elastic_cells<materials::StVenantKirchhoff>(kind, set);
}

} // namespace limber::assembly
