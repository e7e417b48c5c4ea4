#pragma once
/// The command line (a contract: docs/design.md).

namespace limber::app {

/// Parses the arguments and does what they say. PETSc must be initialized. Errors are printed by rank 0.
/// \param argc,argv without what follows "--"
/// \param petsc_argc,petsc_argv PETSc's options from after "--", program name first
/// \return the exit code, the same on every rank. Collective.
int run_command_line(int argc, char** argv, int petsc_argc, char** petsc_argv);

} // namespace limber::app
