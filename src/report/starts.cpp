#include "report/starts.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/file/posix_file.hpp"
#include "base/file/text_kind.hpp"
#include "base/text.hpp"

namespace tessera::report {
namespace {

constexpr const char* kStopped = "stopped";

/// The options that decide what is made.
Json deciding(const Json& job, bool (*is_ignored)(std::string_view)) {
  Json kept = Json::object();
  for (const auto& [name, text] : job.items()) {
    const bool settled_later = name == "tile" || name == "defaults";
    if (!is_ignored(name) && name != "resume" && !settled_later) kept[name] = text;
  }
  return kept;
}

Json read_report(const std::string& path) {
  if (path.empty() || base::is_special(path) || !base::exists(path)) return nullptr;
  if (!base::is_of_kind(path, base::kReport)) return nullptr;
  std::ifstream file(path, std::ios::binary);
  return Json::parse(file, nullptr, false);
}

Start sum_of(const RunState& run, const Start& last) {
  Start all = last;
  for (const Start& start : run.earlier) {
    all.wall_s += start.wall_s;
    all.worker_s += start.worker_s;
    all.busy_s += start.busy_s;
    all.items += start.items;
    all.energy_j += start.energy_j;
  }
  return all;
}

/// Null where it is not known; reports of older versions lack it.
double energy_of_start(const Json& start) {
  const Json energy = start.value("energy_j", Json());
  return energy.is_null() ? base::kNotTold : energy.get<double>();
}

Json start_json(const Start& start) {
  return {{"wall_s", start.wall_s},
          {"worker_s", start.worker_s},
          {"busy_s", start.busy_s},
          {"items", start.items},
          {"energy_j", start.energy_j}};
}

}  // namespace

std::vector<Start> earlier_starts(const std::string& path, const std::string& command,
                                  const std::vector<std::pair<std::string, std::string>>& job,
                                  bool (*is_ignored)(std::string_view option)) {
  const Json report = read_report(path);
  std::vector<Start> starts;
  try {
    if (!report.is_object() || report.value("state", "") != kStopped ||
        report.value("command", "") != command ||
        deciding(report.at("job"), is_ignored) != deciding(texts_json(job), is_ignored)) {
      return {};
    }
    for (const Json& start : report.at("starts")) {
      starts.push_back({.wall_s = start.at("wall_s"),
                        .worker_s = start.at("worker_s"),
                        .busy_s = start.at("busy_s"),
                        .items = start.at("items"),
                        .energy_j = energy_of_start(start)});
    }
  } catch (const Json::exception&) {  // somebody has changed it
    return {};
  }
  return starts;
}

void add_starts(Json& json, const RunState& run, const Start& last) {
  json["state"] = run.stopped.empty() ? run.name : kStopped;
  json["stopped"] = run.stopped.empty() ? Json() : Json(run.stopped);
  Json starts = Json::array();
  for (const Start& start : run.earlier) starts.push_back(start_json(start));
  starts.push_back(start_json(last));
  json["starts"] = std::move(starts);
  json["all_starts"] = start_json(sum_of(run, last));
}

std::string format_starts(const RunState& run, const Start& last) {
  if (run.earlier.empty()) return "";
  const Start all = sum_of(run, last);
  return fmt::format("{} in all: {}, workers {}{}", run.earlier.size() + 1,
                     base::format_seconds(all.wall_s), base::format_seconds(all.worker_s),
                     base::is_told(all.energy_j) ? ", " + format_joules(all.energy_j) : "");
}

}  // namespace tessera::report
