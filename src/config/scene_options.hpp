#pragma once
/// The whole configuration as plain values, in SI units.

#include <string>
#include <vector>

#include "dofs/body_options.hpp"
#include "integrators/time_options.hpp"
#include "materials/material_options.hpp"
#include "mesh/mesh_source.hpp"
#include "output/output_options.hpp"
#include "solvers/solver_options.hpp"

namespace limber::config {

/// Cells of a physical volume that are made of another material than the body.
struct BodyPartOptions {
  std::string group;
  materials::MaterialOptions material;
  std::string config_file; ///< for messages
  std::string config_key;
  int config_line = 0;
};

struct BodyOptions {
  std::string name;
  mesh::BodyMeshOptions mesh;
  materials::MaterialOptions material; ///< of all cells that are in no part
  std::vector<BodyPartOptions> parts;
  dofs::MassOptions mass;
  dofs::DampingOptions damping;
  dofs::InitialOptions initial;
};

struct ParallelOptions {
  std::string partition = "metis"; ///< metis | curve | random (random is for tests)
  int seed = 1;
};

struct SceneOptions {
  std::string name = "scene";
  integrators::TimeOptions time;
  std::vector<BodyOptions> bodies;
  std::vector<dofs::ConditionOptions> conditions;
  solvers::SolverOptions solver;
  output::OutputOptions output;
  ParallelOptions parallel;
};

} // namespace limber::config
