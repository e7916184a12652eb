// The starts of a job that was stopped and resumed, from one report to the next.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json_parts.hpp"

namespace tessera::report {

/// The starts that the report at `path` has, if a stopped run of the same job wrote it. Options for
/// which `is_ignored` do not matter. Empty if there is no such report.
std::vector<Start> earlier_starts(const std::string& path, const std::string& command,
                                  const std::vector<std::pair<std::string, std::string>>& job,
                                  bool (*is_ignored)(std::string_view option));

/// Adds "state", "stopped" (null or the reason), "starts" and "all_starts" to a report.
void add_starts(Json& json, const RunState& run, const Start& last);

/// "3, 2 min 14 s in all, ..."; "" for a job of one start.
std::string format_starts(const RunState& run, const Start& last);

}  // namespace tessera::report
