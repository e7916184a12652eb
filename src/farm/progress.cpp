#include "farm/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/text.hpp"

namespace tessera::farm {
namespace {

using namespace std::chrono_literals;

constexpr auto kBarInterval = 100ms;
constexpr auto kLineInterval = 30s;
constexpr int kBarWidth = 32;

}  // namespace

Progress::Progress(std::string what, std::string items, bool quiet)
    : what_(std::move(what)),
      items_(std::move(items)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(start_ + (terminal_ ? base::Clock::duration(kBarInterval) : kLineInterval)) {}

Progress::Progress(std::string what, std::string items, bool quiet, const plan::Schedule& schedule)
    : Progress(std::move(what), std::move(items), quiet) {
  found_ = schedule.finished();
  found_share_ = schedule.finished_share();
}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const plan::Schedule& schedule) {
  const auto now = base::Clock::now();
  if (quiet_ || now < next_) return;
  const double elapsed_s = base::seconds_between(start_, now);
  const double share = schedule.finished_share();
  const auto finished = static_cast<double>(schedule.finished() - found_);
  const double done_share = share - found_share_;
  const std::string left = done_share > 0
                               ? base::format_seconds(elapsed_s / done_share * (1 - share))
                               : std::string("?");
  const std::int64_t again = schedule.repeats().reissued;
  const std::string done =
      fmt::format("{} of {} {}, {} a second, {} left{}", schedule.finished(), schedule.count(),
                  items_, base::format_count(finished / elapsed_s), left,
                  again > 0 ? fmt::format(", {} taken from lost ranks", again) : "");
  if (terminal_) {
    const int filled = static_cast<int>(share * kBarWidth);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} %  {}", what_, "", filled, "",
               kBarWidth - filled, 100 * share, done);
    std::fflush(stderr);
    drawn_ = true;
    next_ = now + kBarInterval;
  } else {
    fmt::print(stderr, "{}: {:.1f} % after {}: {}\n", what_, 100 * share,
               base::format_seconds(elapsed_s), done);
    next_ = now + kLineInterval;
  }
}

}  // namespace tessera::farm
