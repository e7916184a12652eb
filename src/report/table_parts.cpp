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

namespace {

std::string joules_or_unknown(double joules) {
  return base::is_told(joules) ? format_joules(joules) : "unknown";
}

/// What is told, such as "412 W (at most 633), 61 C, 1.9 GHz, 98 % in use, 2.1 GiB".
std::string told_by(const MeterReport& meter) {
  std::vector<std::string> parts;
  const auto add = [&](base::Measure measure, const base::Measures& of, auto format) {
    const double value = of[static_cast<std::size_t>(measure)];
    if (base::is_told(value)) parts.push_back(format(value));
  };
  using base::Measure;
  const double most_w = meter.most[static_cast<std::size_t>(Measure::power)];
  add(Measure::power, meter.mean, [&](double mean_w) {
    return base::is_told(most_w) ? fmt::format("{:.0f} W (at most {:.0f})", mean_w, most_w)
                                 : fmt::format("{:.0f} W", mean_w);
  });
  add(Measure::temperature, meter.most, [](double c) { return fmt::format("{:.0f} C", c); });
  add(Measure::clock, meter.mean, [](double hz) { return base::format_count(hz) + "Hz"; });
  add(Measure::utilization, meter.mean,
      [](double part) { return fmt::format("{:.0f} % in use", 100 * part); });
  add(Measure::memory, meter.most, [](double bytes) { return base::format_bytes(bytes); });
  return base::join(parts);
}

}  // namespace

void print_energy(Text out, const std::vector<RankReport>& ranks, std::string_view per,
                  double amount) {
  const Energy energy = energy_of(ranks);
  if (base::is_told(energy.all_j())) {
    fmt::format_to(
        out, "energy         {}: cores {}{}{}\n", format_joules(energy.all_j()),
        joules_or_unknown(energy.cores_j),
        energy.gpus > 0 ? ", GPUs " + joules_or_unknown(energy.gpus_j) : "",
        amount > 0 ? fmt::format("; {} per {}", format_joules(energy.all_j() / amount), per) : "");
  }
  std::size_t lines = 0;
  for (const RankReport& rank : ranks) {
    for (const MeterReport& meter : rank.meters) {
      const std::string told = meter.of_cores() ? "" : told_by(meter);
      if (told.empty() || ++lines > kRankLines) continue;
      const std::string text =
          fmt::format("{:<14} {}; rank {} on {}", meter.device, told, rank.rank, rank.host);
      fmt::format_to(out, "{}\n", cut(text, kWidth));
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
