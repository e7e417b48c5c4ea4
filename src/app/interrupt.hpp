#pragma once
/// Signals that ask the run to stop after the present step: SIGUSR1 (which mpirun forwards), SIGTERM, SIGINT.

namespace limber::app {

/// PetscInitialize replaces the handlers by its own: call before it, and again after.
void catch_interrupts();

/// Whether this rank got such a signal since then.
bool interrupted();

} // namespace limber::app
