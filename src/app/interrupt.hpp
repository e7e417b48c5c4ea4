#pragma once
/// Signals that ask the run to stop after the present step: SIGUSR1 (which mpirun forwards), SIGTERM, SIGINT.

namespace limber::app {

/// After PetscInitialize, whose own handlers it replaces.
void catch_interrupts();

/// Whether this rank got such a signal since then.
bool interrupted();

} // namespace limber::app
