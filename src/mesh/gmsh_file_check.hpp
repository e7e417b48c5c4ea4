#pragma once
/// Guards the Gmsh reader: it believes the counts that a .msh file states, and a damaged file crashes it.

#include <string>

#include "base/error.hpp"

namespace limber::mesh {

/// Throws UserError unless `path` names a regular file, readable and not empty.
void check_readable(const std::string& path, const base::ErrorContext& context);

/// Walks through the sections of a .msh file (versions 2 and 4.1, ASCII and binary) as described in the Gmsh
/// reference manual, "MSH file format", and throws UserError unless the counts agree with what is there. Sections
/// that the format does not define are passed over. Says nothing about geometry.
void check_msh_structure(const std::string& path, const base::ErrorContext& context);

} // namespace limber::mesh
