#include "bench/status_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tessera::bench {
namespace {

constexpr std::chrono::seconds kLineInterval(30);

}  // namespace

StatusLine::StatusLine(std::string command, bool quiet)
    : command_(std::move(command)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(base::Clock::now() + kLineInterval) {}

StatusLine::~StatusLine() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void StatusLine::show(const std::string& text) {
  const auto now = base::Clock::now();
  if (quiet_ || (!terminal_ && now < next_)) return;
  next_ = now + kLineInterval;
  fmt::print(stderr, "{}{}: {}{}", terminal_ ? "\r\033[K" : "", command_, text,
             terminal_ ? "" : "\n");
  std::fflush(stderr);
  drawn_ = terminal_;
}

}  // namespace tessera::bench
