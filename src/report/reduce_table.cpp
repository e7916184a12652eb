#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/grouped_digits.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/reduce_report.hpp"
#include "report/starts.hpp"
#include "report/table_parts.hpp"

namespace tessera::report {

namespace {

/// Edges with 15 digits, which hide the rounding of most; with all digits where neighbours would be
/// the same.
std::vector<std::string> format_edges(const std::vector<double>& edges) {
  std::vector<std::string> texts;
  for (const double edge : edges) texts.push_back(fmt::format("{:.15g}", edge));
  if (std::ranges::adjacent_find(texts) == texts.end()) return texts;
  std::ranges::transform(edges, texts.begin(), [](double edge) { return fmt::format("{}", edge); });
  return texts;
}

void print_bins(Text out, const ReducedOperation& histogram) {
  fmt::format_to(out, "{}\n", histogram.name);
  const std::vector<std::string> edges = format_edges(histogram.edges);
  for (std::size_t k = 0; k < histogram.values.size(); ++k) {
    fmt::format_to(out, "{:>14} from {} to {}\n", histogram.values[k].text, edges[k], edges[k + 1]);
  }
}

/// A line for each index of an array of several dimensions.
void print_places(Text out, const ReducedOperation& operation) {
  for (std::size_t i = 0; i < operation.values.size(); ++i) {
    fmt::format_to(out, "{:<14} {}  at [{}]\n", i == 0 ? operation.name : "",
                   operation.values[i].text, fmt::join(operation.coordinates_each[i], ", "));
  }
}

void print_operation(Text out, const ReducedOperation& operation) {
  if (!operation.edges.empty()) return print_bins(out, operation);
  const auto& each = operation.coordinates_each;
  if (!each.empty() && each.front().size() > 1) return print_places(out, operation);
  fmt::format_to(out, "{:<14}", operation.name);
  for (const ReducedValue& value : operation.values) fmt::format_to(out, " {}", value.text);
  if (operation.coordinates.size() > 1) {
    fmt::format_to(out, "  at [{}]", fmt::join(operation.coordinates, ", "));
  }
  std::string_view before = "  in";
  for (const ReducedPlace& place : operation.places) {
    fmt::format_to(out, "{} {} at [{}]", before, place.array, fmt::join(place.coordinates, ", "));
    before = " and";
  }
  fmt::format_to(out, "\n");
}

std::string format_shape(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

void print_array(Text out, const ReducedArray& array) {
  fmt::format_to(out, "{:<14} {} {} in {}{}{}\n", base::printable(array.name), array.type,
                 format_shape(array.shape), base::printable(array.file),
                 array.dataset.empty() ? "" : ":/", base::printable(array.dataset));
}

void print_cells(Text out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    fmt::format_to(out, "{}{:>{}}", c == 0 ? "" : "  ", cells[c], widths[c]);
  }
  fmt::format_to(out, "\n");
}

void print_skipped(Text out, std::int64_t elements, std::string_view why) {
  fmt::format_to(out, "{} {} skipped: {}\n",
                 base::with_commas(static_cast<std::uint64_t>(elements)),
                 elements == 1 ? "element" : "elements", why);
}

void print_groups(Text out, const ReducedGroups& groups) {
  constexpr std::size_t kRows = 20;
  const std::size_t rows = std::min(groups.rows.size(), kRows);
  std::vector<std::size_t> widths;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < groups.columns.size(); ++c) {
    names.push_back(base::printable(groups.columns[c]));
    std::size_t width = names.back().size();
    for (std::size_t r = 0; r < rows; ++r) width = std::max(width, groups.rows[r][c].size());
    widths.push_back(width);
  }
  print_cells(out, names, widths);
  for (std::size_t r = 0; r < rows; ++r) print_cells(out, groups.rows[r], widths);
  if (static_cast<std::int64_t>(rows) < groups.count) fmt::format_to(out, "...\n");
  fmt::format_to(out, "{}{}{}\n", base::count_of(groups.count, "group"),
                 groups.file.empty() ? "" : " in ", base::printable(groups.file));
  if (groups.left_out_nans > 0) {
    print_skipped(out, groups.left_out_nans, "key is NaN");
  }
  if (groups.left_out_missing > 0) {
    print_skipped(out, groups.left_out_missing, "key is missing");
  }
  if (groups.left_out_outside > 0) {
    print_skipped(out, groups.left_out_outside, "key outside all bins");
  }
  if (groups.stored_bytes > 0) {
    fmt::format_to(out, "{} on disk in between; more --memory would need less\n",
                   base::format_bytes(static_cast<double>(groups.stored_bytes)));
  }
}

constexpr const char* kRankRow = "{:>4}  {:<10} {:<10} {:>7} {:>6} {:>9} {:>8} {:>8} {:>9}\n";

void print_rank(Text out, const RankReport& rank) {
  fmt::format_to(out, fmt::runtime(kRankRow), rank_name(rank.rank), cut(rank.host, 10),
                 cut(rank.device, 10), rank.workers(),
                 base::format_count(static_cast<double>(rank.slices)),
                 base::format_bytes(static_cast<double>(rank.bytes)),
                 base::format_seconds(rank.read_s), base::format_seconds(reduce_s(rank)),
                 base::format_bytes(static_cast<double>(rank.peak_memory_bytes)));
}

void print_ranks(Text out, const ReduceReport& run, const RankReport& total) {
  fmt::format_to(out, fmt::runtime(kRankRow), "rank", "host", "device", "workers", "slices",
                 "bytes", "read", run.command == "map" ? "map" : "reduce", "memory");
  for_each_line(out, run.ranks, total, [&](const RankReport& rank) { print_rank(out, rank); });
}

/// Whether there are NaN, and they decide results. `map` has no --nan.
bool spoils(const ReduceReport& run) {
  if (run.command == "map") return false;
  const std::pair<std::string, std::string> propagate = {"nan", "propagate"};
  return run.nans > 0 && std::ranges::find(run.job, propagate) != run.job.end();
}

}  // namespace

std::string to_answers(const ReduceReport& run) {
  std::string text;
  for (const ReducedOperation& operation : run.operations) {
    for (const ReducedValue& value : operation.values) text += value.text + "\n";
  }
  if (!run.groups) return text;
  for (const auto& row : run.groups->rows) text += base::join(row, " ") + "\n";
  return text;
}

std::string to_table(const ReduceReport& run) {
  std::string text;
  if (run.found_complete) return text;
  const Text out = std::back_inserter(text);
  const RankReport total = totals(run.ranks);
  fmt::format_to(out, "tessera {} {}\n\n", run.command, run.version);
  fmt::format_to(out, "{:<14} {}\n", "array", run.input);
  fmt::format_to(out, "{:<14} {} {} ({})\n", "type, shape", run.type, format_shape(run.shape),
                 run.kind);
  fmt::format_to(out, "{:<14} {}; {} NaN{}, {} +inf, {} -inf\n", "elements", run.elements, run.nans,
                 spoils(run) ? " (--nan skip leaves them out)" : "", run.positive_infinities,
                 run.negative_infinities);
  if (run.may_miss) {
    fmt::format_to(out, "{:<14} {} by _FillValue, missing_value or --missing, {} out of range\n",
                   "missing", run.missing_fill, run.missing_range);
  }
  if (run.kept) {
    fmt::format_to(out, "{:<14} {}: {}\n", "state", base::printable(run.kept->file),
                   base::count_of(run.kept->arrays, "array"));
  }
  fmt::format_to(out, "\n");
  for (const ReducedOperation& operation : run.operations) print_operation(out, operation);
  for (const ReducedArray& array : run.arrays) print_array(out, array);
  if (run.groups) print_groups(out, *run.groups);
  if (run.ranks.empty()) return base::printable_lines(text);
  fmt::format_to(out, "\n");
  print_ranks(out, run, total);
  const double rate = run.work_s > 0 ? static_cast<double>(total.bytes) / run.work_s : 0;
  fmt::format_to(out, "\nwall time      {}; {} of it for {} at {:.2f} GB/s\n",
                 base::format_seconds(run.wall_s), base::format_seconds(run.work_s),
                 base::format_bytes(static_cast<double>(total.bytes)), rate / 1e9);
  print_energy(out, run.ranks, "terabyte", static_cast<double>(total.bytes) * 1e-12);
  if (run.found_slices > 0) {
    fmt::format_to(out, "done before    {}\n", base::count_of(run.found_slices, "slice"));
  }
  const std::string starts = format_starts(run.state, start_of(run.ranks, run.wall_s));
  if (!starts.empty()) fmt::format_to(out, "starts         {}\n", starts);
  print_losses(out, run.ranks, "restarted", &RankReport::restarted);
  print_losses(out, run.ranks, "lost", &RankReport::lost);
  print_in_flight(out, run.in_flight);
  return base::printable_lines(text);
}

}  // namespace tessera::report
