#include "farm/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tessera::farm {
namespace {

constexpr int kWidestBar = 32;
constexpr int kNarrowestBar = 8;
constexpr std::size_t kMaxRanksNamed = 3;

}  // namespace

std::string with_bar(const std::string& what, double share, const std::string& text, int columns) {
  const std::string percent = fmt::format("{:3.0f} %  {}", 100 * share, text);
  const int left = columns - static_cast<int>(what.size() + percent.size()) - 4;
  if (left < kNarrowestBar) return fmt::format("{} {}", what, percent);
  const int width = std::min(left, kWidestBar);
  const int filled = static_cast<int>(share * width);
  return fmt::format("{} [{:#<{}}{:.<{}}] {}", what, "", filled, "", width - filled, percent);
}

std::string format_left(double elapsed_s, double done_share, double share,
                        const Following& following) {
  if (done_share <= 0) return "? left";
  const double left_s = elapsed_s / done_share * (1 - share);
  if (following.farms == 0) return base::format_seconds(left_s) + " left";
  const double each_s = following.each_s > 0 ? following.each_s : elapsed_s / done_share;
  return base::format_seconds(left_s + static_cast<double>(following.farms) * each_s) +
         " left in all";
}

std::string format_rate(double per_second) {
  if (per_second >= 10) return base::format_count(per_second) + " a second";
  if (per_second >= 0.1) return fmt::format("{:.1f} a second", per_second);
  return fmt::format("{:.1f} a minute", 60 * per_second);
}

std::string format_waiting(const plan::Schedule& schedule, const plan::Dealer& dealer) {
  const auto holders = dealer.holders();
  if (!schedule.exhausted() || dealer.ranks() == 1 || holders.empty()) return "";
  std::vector<std::string> names;
  std::int64_t items = 0;
  for (const auto& [rank, held] : holders) {
    if (names.size() < kMaxRanksNamed) names.push_back(std::to_string(rank));
    items += held;
  }
  const std::size_t more = holders.size() - names.size();
  return fmt::format("waiting for {} of rank{} {}{}", items, holders.size() > 1 ? "s" : "",
                     base::join(names), more > 0 ? fmt::format(" and {} more", more) : "");
}

Progress::Progress(std::string what, std::string item, base::StatusLine& line,
                   const plan::Schedule& schedule, const Following& following)
    : what_(std::move(what)),
      item_(std::move(item)),
      line_(line),
      following_(following),
      found_share_(schedule.finished_share()),
      found_(schedule.finished()) {}

void Progress::show(const plan::Schedule& schedule, const plan::Dealer& dealer) {
  const std::int64_t all_finished = schedule.finished() - schedule.left_out();
  const std::int64_t all = schedule.count() - schedule.left_out();
  line_.count(what_, all_finished, all);
  if (!line_.due() || schedule.complete()) return;
  const double elapsed_s = base::seconds_between(start_, base::Clock::now());
  // A part that is done counts as started until the whole is, and not for a moment in between.
  share_ = std::max(share_, schedule.progress_share());
  const double done_share = share_ - found_share_;
  const std::int64_t done = schedule.finished() - found_;
  std::string text = fmt::format("{} of {}", all_finished, base::count_of(all, item_));
  const std::string waiting = format_waiting(schedule, dealer);
  if (!waiting.empty()) {
    text += ", " + waiting;
  } else if (done > 0) {
    text += ", " + format_rate(static_cast<double>(done) / elapsed_s);
  }
  text += ", " + format_left(elapsed_s, done_share, share_, following_);
  if (const std::int64_t again = schedule.repeats().reissued; again > 0) {
    text += fmt::format(", {} taken from lost ranks", again);
  }
  if (line_.columns() > 0) return line_.show(with_bar(what_, share_, text, line_.columns()));
  line_.show(fmt::format("{}: {:.1f} % after {}: {}", what_, 100 * share_,
                         base::format_seconds(elapsed_s), text));
}

}  // namespace tessera::farm
