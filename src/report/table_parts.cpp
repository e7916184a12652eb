#include "report/table_parts.hpp"

#include <fmt/ranges.h>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace tessera::report {

std::string cut(const std::string& text, std::size_t width) {
  std::string shown = base::printable(text);
  if (shown.size() <= width) return shown;
  const auto continues = [&](std::size_t i) { return (shown[i] & 0xc0) == 0x80; };  // UTF-8
  std::size_t end = width - 1;
  while (end > 0 && continues(end)) --end;
  return shown.substr(0, end) + "~";
}

std::string rank_name(int rank) {
  return rank < 0 ? "all" : fmt::format("{}", rank);
}

void print_in_flight(Text out, const InFlight& in_flight) {
  if (in_flight.lost.empty()) return;
  std::vector<std::string> ranks;
  for (const auto& [rank, host] : in_flight.lost)
    ranks.push_back(fmt::format("{} ({})", rank, host));
  fmt::format_to(out, "{}\n",
                 cut(fmt::format("lost ranks     {}", fmt::join(ranks, ", ")), kWidth));
  const plan::Repeats& repeats = in_flight.repeats;
  fmt::format_to(out, "done again     {} handed out again, {} copied, {} dropped\n",
                 repeats.reissued, repeats.copied,
                 base::count_of(repeats.answered_again, "answer"));
}

void print_openings(Text out, const std::vector<RankReport>& ranks) {
  for (const RankReport& rank : ranks) {
    for (const DeviceOpening& opening : rank.openings) {
      if (opening.outcome == "opened" || opening.device.empty()) continue;
      fmt::format_to(
          out, "{}\n",
          cut(fmt::format("{:<14} {} of rank {} on {} after {}{}", opening.outcome, opening.device,
                          rank.rank, rank.host, base::format_seconds(opening.after_s),
                          opening.cause.empty() ? "" : ": " + opening.cause),
              kWidth));
    }
  }
}

void print_loss(Text out, std::string_view what, const LostDevice& lost, int rank,
                const std::string& host) {
  fmt::format_to(
      out, "{}\n",
      cut(fmt::format("{:<14} {} of rank {} on {}: {}", what, lost.device, rank, host, lost.cause),
          kWidth));
}

}  // namespace tessera::report
