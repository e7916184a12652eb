#include "base/status_line.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace tessera::base {
namespace {

using namespace std::chrono_literals;

constexpr auto kRedrawInterval = 100ms;
constexpr auto kFirstLine = 2s;
constexpr auto kLineInterval = 10s;
constexpr const char* kClear = "\r\033[K";

}  // namespace

StatusLine::StatusLine(bool quiet, bool launched)
    : quiet_(quiet),
      terminal_(quiet ? nullptr : Terminal::find(launched)),
      next_(Clock::now() + (terminal_ ? Clock::duration(kRedrawInterval) : kFirstLine)) {}

StatusLine::~StatusLine() {
  if (drawn_) terminal_->write(kClear);
}

void StatusLine::show(const std::string& line) {
  if (quiet_ || (!terminal_ && !due())) return;
  next_ = Clock::now() + (terminal_ ? Clock::duration(kRedrawInterval) : kLineInterval);
  if (!terminal_) return fmt::print(stderr, "{}\n", line);
  terminal_->write(kClear + fitted(line, columns()));
  drawn_ = true;
}

}  // namespace tessera::base
