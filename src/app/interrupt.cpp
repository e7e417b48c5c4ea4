#include "app/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace limber::app {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int) { caught = 1; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

} // namespace

void catch_requests() {
  handle(SIGUSR1, remember);
  for (int signal : {SIGTERM, SIGINT}) handle(signal, SIG_DFL);
}

void catch_interrupts() {
  for (int signal : {SIGUSR1, SIGTERM, SIGINT}) handle(signal, remember);
}

bool interrupted() { return caught != 0; }

} // namespace limber::app
