// Printers over one RunReport: table for people, JSON for machines, Chrome trace for a timeline.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "report/timings.hpp"

namespace tessera::report {

/// A table of at most 100 columns: a line per rank (of the first 32), totals, load balance, share
/// of time computing. Below it the files written, whose paths are never cut.
std::string to_table(const RunReport& run);
/// JSON; every number with its unit in the key. docs/report.md lists the keys.
std::string to_json(const RunReport& run);
/// Chrome trace event format (chrome://tracing, Perfetto): a process per rank, a line per thread.
std::string to_trace(std::string_view command, const std::string& version,
                     std::span<const RankReport> ranks);

/// A RankReport as bytes for a message, and back; throws base::Error (failed) for bytes that are
/// too short or too long.
base::Bytes serialize(const RankReport& rank);
RankReport deserialize(const base::Bytes& bytes);

/// Writes `text` to `path` (temporary name, then rename; straight to it if it is a device or a
/// pipe); throws naming the file.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace tessera::report
