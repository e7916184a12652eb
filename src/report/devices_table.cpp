#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "report/devices.hpp"

namespace tessera::report {
namespace {

using Row = std::array<std::string, 7>;

/// Columns have the width of their contents; empty columns are left out.
std::string align(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto empty = [i](const Row& row) { return row[i].empty(); };
    if (std::all_of(rows.begin() + 1, rows.end(), empty)) continue;
    for (const Row& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > 0) line += fmt::format("  {:<{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

Row row_of(const DeviceLine& device) {
  const bool known = !device.what.empty();
  return {
      device.name,
      device.what,
      device.memory_bytes > 0 ? base::format_bytes(static_cast<double>(device.memory_bytes)) : "",
      device.driver,
      device.compute,
      !known        ? ""
      : device.fp64 ? "yes"
                    : "no",
      device.reason.empty() ? "yes" : "no: " + device.reason};
}

int widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const std::string& line : base::split(text, '\n')) widest = std::max(widest, line.size());
  return static_cast<int>(widest) + 2;  // without the blanks in front
}

/// For a terminal on which the table is too wide: a line on the use of each device, and below it a
/// line that describes it.
std::string in_two_lines(const std::vector<DeviceLine>& devices) {
  std::size_t width = 0;
  for (const DeviceLine& device : devices) width = std::max(width, device.name.size());
  std::string text;
  for (const DeviceLine& device : devices) {
    const Row row = row_of(device);
    text += fmt::format("  {:<{}}  {}\n", device.name, width, row[6]);
    std::vector<std::string> details;
    for (const std::size_t column : {1, 2, 3, 4}) {
      if (!row[column].empty()) details.push_back(row[column]);
    }
    if (row[5] == "no") details.push_back("no fp64");
    if (!details.empty()) {
      text += fmt::format("  {:<{}}  {}\n", "", width, base::join(details));
    }
  }
  return text;
}

/// What a check has found: a line of results, and one for each problem and advice.
std::string lines_of(const DeviceCheck& check, const std::string& device) {
  const bool right = check.problems.empty();
  std::vector<std::string> found = {right ? fmt::format("right, {} compared with the reference",
                                                        base::count_of(check.compared, "result"))
                                          : std::string("WRONG OR BROKEN")};
  const auto add = [&](double rate, std::string_view unit, std::string_view what) {
    if (rate > 0) found.push_back(fmt::format("{} {}{}", what, base::format_count(rate), unit));
  };
  add(check.iterations_per_s, " iterations/s", "f64");
  add(check.memory_bytes_per_s, "B/s", "memory");
  add(check.to_device_bytes_per_s, "B/s", "copies to it");
  add(check.from_device_bytes_per_s, "B/s", "from it");
  std::string text = fmt::format("  {}: {}; opened in {}\n", device, base::join(found),
                                 base::format_seconds(check.open_s));
  for (const std::string& problem : check.problems) {
    text += fmt::format("  {}: {}\n", device, problem);
  }
  for (const std::string& advice : check.advice) text += fmt::format("  {}: {}\n", device, advice);
  return text;
}

std::string list_of(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const int number : numbers) texts.push_back(std::to_string(number));
  return texts.empty() ? "?" : base::join(texts);
}

/// The block of a rank without the line that names it.
std::string body_of(const RankDevices& rank, const std::string& device_list, int columns) {
  std::vector<Row> rows = {{"device", "what", "memory", "driver", "compute", "fp64", "used"}};
  for (const DeviceLine& device : rank.devices) rows.push_back(row_of(device));
  std::string text = align(rows);
  if (widest_line(text) > columns) text = in_two_lines(rank.devices);
  for (const DeviceLine& device : rank.devices) {
    if (device.check.made) text += lines_of(device.check, device.name);
  }
  text += fmt::format("  --device {} is {} here", device_list, base::join(rank.uses));
  text += rank.problem.empty() ? ", " + base::count_of(rank.workers, "worker thread") + "\n"
                               : fmt::format(", but: {}\n", rank.problem);
  return text;
}

}  // namespace

std::string to_table(const DevicesReport& report, int columns) {
  std::string text;
  std::string before;
  for (const RankDevices& rank : report.ranks) {
    text += fmt::format("rank {} on {} (local rank {} of {}), {} of {}, NUMA node {}\n", rank.rank,
                        rank.host, rank.node_rank, rank.node_ranks, rank.allowed_cores,
                        base::count_of(rank.node_cores, "core"), list_of(rank.numa_nodes));
    const std::string body = body_of(rank, report.device_list, columns);
    text += body == before ? "  as the rank before\n" : body;
    before = body;
  }
  return base::wrapped(text, columns);
}

}  // namespace tessera::report
