#include "command/stderr_events.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/clock.hpp"
#include "base/terminal.hpp"
#include "command/stop_signals.hpp"

namespace tessera::command {
namespace {

using namespace std::chrono_literals;

constexpr auto kRedrawInterval = 100ms;
constexpr auto kFirstLine = 2s;
constexpr auto kLineInterval = 10s;
constexpr const char* kClear = "\r\033[K";

class StderrLine : public base::StatusLine {
 public:
  explicit StderrLine(bool launched)
      : terminal_(base::Terminal::find(launched)),
        next_(base::Clock::now() +
              (terminal_ ? base::Clock::duration(kRedrawInterval) : kFirstLine)) {}
  ~StderrLine() override {
    if (drawn_) terminal_->write(kClear);
  }

  bool due() const override { return base::Clock::now() >= next_; }
  int columns() const override { return terminal_ ? terminal_->columns() - 1 : 0; }
  void show(const std::string& line) override {
    if (!terminal_ && !due()) return;
    next_ =
        base::Clock::now() + (terminal_ ? base::Clock::duration(kRedrawInterval) : kLineInterval);
    if (!terminal_) return fmt::print(stderr, "{}\n", line);
    terminal_->write(kClear + base::fitted(line, columns()));
    drawn_ = true;
  }

 private:
  std::unique_ptr<base::Terminal> terminal_;
  bool drawn_ = false;
  base::Clock::time_point next_;
};

}  // namespace

void StderrEvents::log(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
}

std::unique_ptr<base::StatusLine> StderrEvents::status_line() {
  return std::make_unique<StderrLine>(launched_);
}

void StderrEvents::drivers_loaded() {
  keep_listening();
}

}  // namespace tessera::command
