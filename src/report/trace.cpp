// Writes the trace as text, event by event: 10^6 events as JSON values would take gigabytes.
#include <fmt/format.h>

#include <iterator>

#include "base/quoted.hpp"
#include "report/printers.hpp"

namespace tessera::report {

namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

using Text = std::back_insert_iterator<std::string>;

/// A metadata event: `key` is "name" or "sort_index" of a process or a thread.
void print_metadata(Text out, const char* event, int process, std::size_t thread, const char* key,
                    const std::string& value) {
  fmt::format_to(out,
                 "{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"{}\":{}}}}},\n",
                 event, process, thread, key, value);
}

/// An item of the farm in which the span was recorded.
std::string_view item_name(std::string_view command, Stage stage) {
  if (stage == Stage::color) return "band";
  return command == "reduce" ? "slice" : "tile";
}

std::string_view name_of(const Span& span) {
  if (span.stage == Stage::open) return kPhaseNames[static_cast<std::size_t>(span.item)];
  return kStageNames[static_cast<std::size_t>(span.stage)];
}

void print_span(Text out, std::string_view command, int process, std::size_t thread,
                const Span& span) {
  fmt::format_to(out,
                 "{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
                 "\"dur\":{:.3f}",
                 name_of(span), process, thread, span.start_s * kMicrosecondsPerSecond,
                 (span.end_s - span.start_s) * kMicrosecondsPerSecond);
  if (span.item >= 0 && span.stage != Stage::open) {
    fmt::format_to(out, ",\"args\":{{\"{}\":{}}}", item_name(command, span.stage), span.item);
  }
  fmt::format_to(out, "}},\n");
}

/// The opening of a GPU, as a thread of its own.
void print_opening(Text out, int process, std::size_t thread, const DeviceOpening& opening) {
  print_metadata(out, "thread_name", process, thread, "name",
                 base::json_quoted("opening " + opening.device));
  print_metadata(out, "thread_sort_index", process, thread, "sort_index", fmt::to_string(thread));
  for (const auto& part : opening.parts) {
    fmt::format_to(out,
                   "{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
                   "\"dur\":{:.3f}}},\n",
                   part.name, process, thread, part.start_s * kMicrosecondsPerSecond,
                   (part.end_s - part.start_s) * kMicrosecondsPerSecond);
  }
}

/// A track for each number that a GPU, or the cores of a host, told.
void print_meter(Text out, int process, const MeterReport& meter) {
  for (std::size_t i = 0; i < base::kMeasures.size(); ++i) {
    const std::string track =
        base::json_quoted(fmt::format("{} {}", meter.device, base::kMeasures[i]));
    for (const MeterSample& sample : meter.samples) {
      if (!base::is_told(sample.now[i])) continue;
      fmt::format_to(out,
                     "{{\"name\":{},\"ph\":\"C\",\"pid\":{},\"ts\":{:.3f},"
                     "\"args\":{{\"value\":{}}}}},\n",
                     track, process, sample.time_s * kMicrosecondsPerSecond, sample.now[i]);
    }
  }
}

void print_rank(Text out, std::string_view command, const RankReport& rank) {
  const std::string name = fmt::format("rank {} on {}", rank.rank, rank.host);
  print_metadata(out, "process_name", rank.rank, 0, "name", base::json_quoted(name));
  print_metadata(out, "process_sort_index", rank.rank, 0, "sort_index", fmt::to_string(rank.rank));
  for (std::size_t i = 0; i < rank.threads.size(); ++i) {
    print_metadata(out, "thread_name", rank.rank, i, "name",
                   base::json_quoted(rank.threads[i].name));
    print_metadata(out, "thread_sort_index", rank.rank, i, "sort_index", fmt::to_string(i));
    for (const Span& span : rank.threads[i].spans) print_span(out, command, rank.rank, i, span);
    if (rank.threads[i].spans_dropped > 0) {
      print_metadata(out, "thread_labels", rank.rank, i, "labels",
                     fmt::format("\"{} later spans left out\"", rank.threads[i].spans_dropped));
    }
  }
  for (std::size_t i = 0; i < rank.openings.size(); ++i) {
    if (rank.openings[i].parts.empty()) continue;
    print_opening(out, rank.rank, rank.threads.size() + i, rank.openings[i]);
  }
  for (const MeterReport& meter : rank.meters) print_meter(out, rank.rank, meter);
}

}  // namespace

std::string to_trace(std::string_view command, const std::string& version,
                     std::span<const RankReport> ranks) {
  std::string text = fmt::format(
      "{{\"otherData\":{{\"program\":\"tessera\",\"command\":{},\"version\":{}}},"
      "\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n",
      base::json_quoted(std::string(command)), base::json_quoted(version));
  const Text out = std::back_inserter(text);
  for (const RankReport& rank : ranks) print_rank(out, command, rank);
  if (text.ends_with(",\n")) text.replace(text.size() - 2, 1, "");
  return text + "]}\n";
}

}  // namespace tessera::report
