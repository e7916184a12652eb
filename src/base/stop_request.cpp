#include "base/stop_request.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/error.hpp"

namespace tessera::base {

namespace {

std::atomic<const char*> reason = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler sets it");

[[noreturn]] void leave_at_once() {
  ::_exit(static_cast<int>(ExitCode::stopped));
}

/// True the first time.
bool ask(const char* why) noexcept {
  const char* nobody = nullptr;
  if (!reason.compare_exchange_strong(nobody, why)) return false;
  ::alarm(kGraceSeconds);
  return true;
}

void on_signal(int number) noexcept {
  const char* const name = number == SIGTERM   ? "SIGTERM"
                           : number == SIGUSR1 ? "SIGUSR1"
                           : number == SIGUSR2 ? "SIGUSR2"
                                               : "SIGINT";
  if (number == SIGALRM || !ask(name)) leave_at_once();
}

}  // namespace

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGALRM}) {
    ::sigaction(number, &action, nullptr);
  }
}

void request_stop(const char* why) {
  ask(why);
}

bool stop_requested() {
  return reason.load() != nullptr;
}

std::string stop_reason() {
  const char* const why = reason.load();
  return why == nullptr ? "" : why;
}

}  // namespace tessera::base
