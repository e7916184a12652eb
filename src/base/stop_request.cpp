#include "base/stop_request.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/fault.hpp"

namespace tessera::base {

namespace {

std::atomic<const char*> reason = nullptr;
std::atomic<std::int64_t> asked_ns = 0;  ///< when
static_assert(std::atomic<const char*>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler sets them");
std::atomic<bool> listening = false;
/// Fault point: a busy machine may need longer than kGraceSeconds.
std::atomic<bool> patient = false;
constexpr std::int64_t kSameWishNs = 500'000'000;

[[noreturn]] void leave_at_once() {
  ::_exit(static_cast<int>(ExitCode::stopped));
}

/// base::Clock does not promise to be safe in signal handlers.
std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// True for the first request.
bool ask(const char* why) noexcept {
  const char* nobody = nullptr;
  if (!reason.compare_exchange_strong(nobody, why)) return false;
  asked_ns = now_ns();
  if (!patient) ::alarm(kGraceSeconds);
  return true;
}

void on_signal(int number) noexcept {
  const char* const name = number == SIGTERM   ? "SIGTERM"
                           : number == SIGUSR1 ? "SIGUSR1"
                           : number == SIGUSR2 ? "SIGUSR2"
                                               : "SIGINT";
  if (number != SIGALRM && (ask(name) || now_ns() - asked_ns < kSameWishNs)) return;
  leave_at_once();
}

void take_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGALRM}) {
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

void listen_for_stop() {
  listening = true;
  patient = fault("stop.patient");
  take_signals();
}

void keep_listening() {
  if (listening) take_signals();
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

void throw_if_stopped(const std::string& where) {
  if (!stop_requested()) return;
  throw Error(ExitCode::stopped, fmt::format("{}: stopped by {}; run the same command to resume",
                                             where, stop_reason()));
}

}  // namespace tessera::base
