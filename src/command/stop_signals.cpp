#include "command/stop_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/error.hpp"
#include "base/fault.hpp"

namespace tessera::command {

namespace {

std::atomic<base::StopToken*> listened = nullptr;  ///< null until a command listens
std::atomic<std::int64_t> asked_ns = 0;            ///< when
static_assert(std::atomic<base::StopToken*>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler uses them");
/// Fault point: a busy machine may need longer than kGraceSeconds.
std::atomic<bool> patient = false;
constexpr std::int64_t kSignalDebounceNs = 500'000'000;

[[noreturn]] void leave_at_once() {
  ::_exit(static_cast<int>(base::ExitCode::stopped));
}

/// base::Clock does not promise to be safe in signal handlers.
std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct Wish {
  int number;
  const char* name;
};
constexpr std::array kWishes = {Wish{SIGTERM, "SIGTERM"}, Wish{SIGINT, "SIGINT"},
                                Wish{SIGUSR1, "SIGUSR1"}, Wish{SIGUSR2, "SIGUSR2"},
                                Wish{SIGHUP, "SIGHUP"},   Wish{SIGXCPU, "SIGXCPU"}};

/// A terminal that has hung up takes no more text, and a failed write would end the run before it
/// has kept its work.
void leave_dead_terminals() noexcept {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    pollfd state{.fd = descriptor, .events = POLLOUT, .revents = 0};
    if (::poll(&state, 1, 0) < 0 || (state.revents & (POLLHUP | POLLERR)) == 0) continue;
    const int nothing = ::open("/dev/null", O_WRONLY);
    if (nothing < 0) continue;
    ::dup2(nothing, descriptor);
    ::close(nothing);
  }
}

void on_signal(int number) noexcept {
  const int error_number = errno;
  if (number == SIGHUP) leave_dead_terminals();
  const auto* const wish = std::ranges::find(kWishes, number, &Wish::number);
  const bool first = wish != kWishes.end() && listened.load()->request(wish->name);
  // The kernel repeats SIGXCPU every second.
  const bool same = number == SIGXCPU || now_ns() - asked_ns < kSignalDebounceNs;
  if (number == SIGALRM || !(first || same)) leave_at_once();
  errno = error_number;
}

/// A signal that is ignored, as nohup(1) wants SIGHUP to be, stays ignored.
bool is_ignored(int number) noexcept {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void take_signals() {
  static const bool keeps_hangups = is_ignored(SIGHUP);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  for (const Wish& wish : kWishes) {
    if (wish.number != SIGHUP || !keeps_hangups) ::sigaction(wish.number, &action, nullptr);
  }
}

}  // namespace

void fail_large_writes() {
  ::signal(SIGXFSZ, SIG_IGN);
}

void listen_for_stop(base::StopToken& token) {
  listened = &token;
  patient = base::fault("stop.patient");
  take_signals();
}

void keep_listening() {
  if (listened != nullptr) take_signals();
}

void begin_grace() noexcept {
  asked_ns = now_ns();
  if (listened != nullptr && !patient) ::alarm(kGraceSeconds);
}

}  // namespace tessera::command
