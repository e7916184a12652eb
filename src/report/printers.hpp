// Printers over one RunReport: table for people, JSON for machines, Chrome trace for a timeline.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file/unfinished_file.hpp"
#include "job/run_spec.hpp"
#include "report/timings.hpp"

namespace tessera::report {

/// A table of at most 80 columns: a line per rank (the first 32 ranks), totals, load balance,
/// fraction of the time spent computing. Below it the written files, whose paths are never
/// truncated. Numbers that are not known are left out; "" if the image was complete before.
std::string to_table(const RunReport& run);
/// JSON; every number with its unit in the key. docs/report.md lists the keys.
std::string to_json(const RunReport& run);
/// Chrome trace event format (chrome://tracing, Perfetto): a process per rank, a line per thread.
std::string to_trace(std::string_view command, const std::string& version,
                     std::span<const RankReport> ranks);

/// Writes `text` to a temporary file and renames it to `path`; writes directly if `path` is a
/// device or a pipe, or "-" for standard output. Throws base::Error with the name of the file.
/// `is_ours`: what a killed run may have left as the temporary file.
void write_text_file(const std::string& path, const std::string& text,
                     const base::IsOurs& is_ours = {});

/// The result of a command: `json` to --report, and on standard output `json` with --json, else
/// `text`, unless a document goes there.
void publish(const job::RunSpec& job, const std::string& json, const std::string& text);

}  // namespace tessera::report
