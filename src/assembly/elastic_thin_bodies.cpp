#include "assembly/elastic_cells_of.hpp"
#include "materials/membrane_arap.hpp"
#include "materials/membrane_neo_hookean.hpp"
#include "materials/membrane_st_venant_kirchhoff.hpp"

namespace limber::assembly {

std::unique_ptr<ElasticCells> make_membrane_cells(const std::string& model, const CellSet& set) {
  if (model == "neo_hookean")
    return std::make_unique<ElasticCellsOf<LinearTriangle, materials::MembraneNeoHookean>>(set);
  if (model == "st_venant_kirchhoff")
    return std::make_unique<ElasticCellsOf<LinearTriangle, materials::MembraneStVenantKirchhoff>>(set);
  if (model == "arap") return std::make_unique<ElasticCellsOf<LinearTriangle, materials::MembraneArap>>(set);
  return nullptr;
}

std::unique_ptr<ElasticCells> make_spring_cells(const CellSet& set) {
  return std::make_unique<ElasticCellsOf<Spring, energies::SpringStiffness>>(set);
}

} // namespace limber::assembly
