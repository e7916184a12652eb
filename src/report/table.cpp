#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "base/grouped_digits.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/printers.hpp"
#include "report/starts.hpp"
#include "report/table_parts.hpp"

namespace tessera::report {

namespace {

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", std::min(100 * part / whole, 100.0)) : "-";
}

std::string memory_of(const RankReport& rank) {
  const auto bytes = static_cast<double>(rank.peak_memory_bytes);
  return bytes > 0 ? base::format_bytes(bytes) : "-";
}

std::string workers_of(const RankReport& rank) {
  return rank.workers() > 0 ? std::to_string(rank.workers()) : "-";
}

constexpr const char* kWorkRow = "{:>4}  {:<10} {:<10} {:>7} {:>7} {:>7} {:>9} {:>9} {:>7}\n";
/// The widths of the stages that a table has.
constexpr std::array<int, kStages> kStageWidths = {0, 10, 9, 9, 9, 9, 9, 9};

/// "48 ms", "3.5 s", "13997 s", "310.2 h": sums over many threads, in few letters.
std::string short_seconds(double seconds) {
  if (seconds < 99.5) return base::format_seconds(seconds);
  return seconds < 99999.5 ? fmt::format("{:.0f} s", seconds)
                           : fmt::format("{:.4g} h", seconds / 3600);
}

void print_work_line(Text out, const RankReport& rank, double wall_s) {
  const double available_s = rank.workers() * wall_s;
  fmt::format_to(out, fmt::runtime(kWorkRow), rank_name(rank.rank), cut(rank.host, 10),
                 cut(rank.device, 10), workers_of(rank),
                 base::format_count(static_cast<double>(rank.tiles)),
                 base::format_count(static_cast<double>(rank.pixels)),
                 base::format_bytes(static_cast<double>(rank.bytes)), memory_of(rank),
                 cut(percent(rank.busy_s(), available_s), 7));
}

/// Stage::open and Stage::plan share a column.
void print_stage_line(Text out, const RankReport& rank) {
  fmt::format_to(out, "{:>4}", rank_name(rank.rank));
  for (std::size_t i = 1; i < kStages; ++i) {
    const auto stage = static_cast<Stage>(i);
    const double opening_s = stage == Stage::plan ? rank.seconds(Stage::open) : 0;
    fmt::format_to(out, " {:>{}}", short_seconds(opening_s + rank.seconds(stage)), kStageWidths[i]);
  }
  fmt::format_to(out, "\n");
}

void print_iterations(Text out, std::string_view name, std::uint64_t count, const std::string& rate,
                      std::string_view meaning) {
  if (count == 0) return;
  fmt::format_to(out, "{:<14} {} iterations, {}/s{}\n", name,
                 base::format_count(static_cast<double>(count)), rate, meaning);
}

std::string computed_again(const UncertainPixels& uncertain) {
  std::string text;
  if (uncertain.on_gpu > 0) {
    text += fmt::format("; {} recomputed on GPUs", base::with_commas(uncertain.on_gpu));
  }
  if (uncertain.with_more_bits > 0) {
    text +=
        fmt::format("; {} with more than 106 bits", base::with_commas(uncertain.with_more_bits));
  }
  return text;
}

/// Explains ranks that computed and have no tiles.
void print_duplicates(Text out, const RunReport& run) {
  std::vector<std::string> ranks;
  for (const RankReport& rank : run.ranks) {
    if (rank.tiles == 0 && rank.worker_seconds(Stage::compute) > 0) {
      ranks.push_back(rank_name(rank.rank));
    }
  }
  if (ranks.empty() || run.ranks.size() < 2) return;
  const std::string text = fmt::format("{} {} computed tiles that another rank stored first",
                                       ranks.size() == 1 ? "rank" : "ranks", base::join(ranks));
  fmt::format_to(out, "{:<14} {}\n", "duplicates", cut(text, kWidth - 15));
}

/// A long text goes on in a second line.
void print_counts(Text out, std::string text) {
  constexpr std::size_t kLabel = 15;
  const auto part = text.find("; ");
  if (text.size() + kLabel > kWidth && part != text.npos) {
    text.replace(part, 2, ";\n" + std::string(kLabel, ' '));
  }
  fmt::format_to(out, "{:<{}}{}\n", "counts", kLabel, text);
}

/// Nothing for the file of an unfinished run, which has no times.
void print_times(Text out, const RunReport& run, const RankReport& total) {
  if (run.wall_s <= 0) return;
  const auto rate = [&](std::uint64_t count) {
    return base::format_count(run.wall_s > 0 ? static_cast<double>(count) / run.wall_s : 0);
  };
  fmt::format_to(out, "wall time      {}, {} pixels/s\n", base::format_seconds(run.wall_s),
                 rate(total.pixels));
  print_iterations(out, "counted", total.iterations, rate(total.iterations),
                   ": the sum over the pixels");
  print_iterations(out, "computed", total.executed, rate(total.executed),
                   total.executed < total.iterations ? "; shortcuts skipped the rest" : "");
  if (const UncertainPixels& uncertain = total.uncertain; uncertain.all > 0) {
    fmt::format_to(out, "uncertain      {} of {} pixels in f64{}\n",
                   base::with_commas(uncertain.all), base::with_commas(total.pixels),
                   computed_again(uncertain));
  }
  if (!run.counts.empty()) print_counts(out, run.counts);
  fmt::format_to(out, "load balance   {:.3f} (busiest rank / mean)\n", load_balance(run));
  fmt::format_to(out, "computing      {:.1f} % of the time of {}\n", 100 * computing_share(run),
                 base::count_of(total.workers(), "worker"));
}

void print_stages(Text out, const RunReport& run, const RankReport& total) {
  if (run.wall_s <= 0) return;
  fmt::format_to(out, "\ntime in each stage, summed over threads\n{:>4} {:>{}}", "rank",
                 "open, plan", kStageWidths[1]);
  for (std::size_t i = 2; i < kStages; ++i) {
    fmt::format_to(out, " {:>{}}", kStageNames[i], kStageWidths[i]);
  }
  fmt::format_to(out, "\n");
  for_each_line(out, run.ranks, total,
                [&](const RankReport& rank) { print_stage_line(out, rank); });
}

void print_summary(Text out, const RunReport& run, const RankReport& total) {
  print_times(out, run, total);
  print_energy(out, run.ranks, "gigapixel", static_cast<double>(total.pixels) * 1e-9);
  print_openings(out, run.ranks);
  print_losses(out, run.ranks, "restarted", &RankReport::restarted);
  print_losses(out, run.ranks, "lost", &RankReport::lost);
  print_in_flight(out, run.in_flight);
  print_duplicates(out, run);
  if (run.images > 0) {
    fmt::format_to(out, "images         {}, {} complete before\n", run.images, run.found_images);
  }
  if (run.found_tiles > 0) {
    fmt::format_to(out, "stored before  {}\n", base::count_of(run.found_tiles, "tile"));
  }
  const std::string starts = format_starts(run.state, start_of(run.ranks, run.wall_s));
  if (!starts.empty()) fmt::format_to(out, "starts         {}\n", starts);
  if (run.output_bytes > 0) {
    fmt::format_to(out, "output         {}\n",
                   base::format_bytes(static_cast<double>(run.output_bytes)));
  }
  for (const auto& [kind, path] : run.outputs) fmt::format_to(out, "{:<14} {}\n", kind, path);
}

}  // namespace

std::string to_table(const RunReport& run) {
  std::string text;
  if (run.found_complete) return text;
  const Text out = std::back_inserter(text);
  const RankReport total = totals(run.ranks);
  fmt::format_to(out, "{}\n\n",
                 cut(fmt::format("tessera {} {}", run.command, run.version), kWidth));
  fmt::format_to(out, fmt::runtime(kWorkRow), "rank", "host", "device", "workers", "tiles",
                 "pixels", "stored", "memory", "busy");
  for_each_line(out, run.ranks, total,
                [&](const RankReport& rank) { print_work_line(out, rank, run.wall_s); });
  print_stages(out, run, total);
  fmt::format_to(out, "\n");
  print_summary(out, run, total);
  return base::printable_lines(text);
}

}  // namespace tessera::report
