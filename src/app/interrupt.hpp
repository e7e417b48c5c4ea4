#pragma once
/// Signals that ask the run to stop after the present step: SIGUSR1 (which mpirun forwards), SIGTERM, SIGINT.

namespace limber::app {

/// While a scene is set up: SIGUSR1 is remembered, SIGTERM and SIGINT end the process, as nothing is lost yet.
/// PetscInitialize replaces the handlers by its own: call before it, and again after.
void catch_requests();

/// Once the run has begun: all three are remembered.
void catch_interrupts();

/// Whether this rank got a signal that was remembered.
bool interrupted();

} // namespace limber::app
