#include "app/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace limber::app {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int) { caught = 1; }

} // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
}

bool interrupted() { return caught != 0; }

} // namespace limber::app
