#include "farm/phases.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.hpp"
#include "farm/thread_reports.hpp"

namespace tessera::farm {

Phases::Phases(const comm::World& world, std::string command, bool quiet, bool trace,
               report::LiveRun* live)
    : origin_(world.origin()),
      command_(std::move(command)),
      quiet_(quiet || !world.is_root()),
      trace_(trace),
      live_(live) {}

void Phases::enter(report::Phase phase, const std::string& text) {
  end();
  phase_ = phase;
  inside_ = true;
  if (phase == report::Phase::start) start_s_ = 0;
  if (live_) live_->enter(text);
  if (quiet_ || text.empty()) return;
  line_ = base::status_line(false);
  const auto show = [this, text, begun = base::Clock::now()] {
    const double since_s = base::seconds_between(begun, base::Clock::now());
    line_->show(fmt::format("{}: {} ({})", command_, text, base::format_seconds(since_s)));
  };
  showing_ = std::make_unique<base::PeriodicTask>(show, std::chrono::seconds(1));
}

void Phases::leave() {
  end();
  inside_ = false;
}

void Phases::end() {
  showing_.reset();
  line_.reset();
  const double now_s = base::seconds_between(origin_, base::Clock::now());
  if (inside_) {
    const bool plans = phase_ == report::Phase::plan;  // counted by the threads that sample
    if (!plans) report_.seconds[static_cast<std::size_t>(report::Stage::open)] += now_s - start_s_;
    if (trace_) {
      report::add_span(report_,
                       {report::Stage::open, static_cast<std::int64_t>(phase_), start_s_, now_s});
    }
  }
  start_s_ = now_s;
}

report::RankReport with_phases(report::RankReport report, report::ThreadReport phases) {
  std::vector<report::ThreadReport> threads{std::move(phases)};
  merge_threads(threads, std::move(report.threads));
  report.threads = std::move(threads);
  return report;
}

}  // namespace tessera::farm
