#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "report/live_run.hpp"

namespace tessera::report {
namespace {

// crossed by: JoinsCellsOfLargeMaps
constexpr std::int64_t kMaxCells = 256;
// crossed by: ShowsTheFirstLanes
constexpr std::size_t kMaxLanes = 256;
/// Parts of the whole time that a picture of it shows.
constexpr double kTimeSteps = 1600;

struct ItemCell {
  std::int64_t items = 0, made = 0;
  int rank = -1, device = -1;
  double seconds = 0, ended = 0;
};

std::vector<ItemCell> cells_of(const ItemGrid& grid, const std::vector<MadeItem>& items,
                               std::int64_t joined, std::int64_t columns, std::int64_t rows) {
  std::vector<ItemCell> cells(static_cast<std::size_t>(columns * rows));
  std::int64_t number = 0;
  for (const MadeItem& item : items) {
    const std::int64_t row = number / grid.columns / joined;
    const std::int64_t column = number % grid.columns / joined;
    ++number;
    ItemCell& cell = cells[static_cast<std::size_t>(row * columns + column)];
    ++cell.items;
    if (item.rank == MadeItem::kMissing) continue;
    ++cell.made;
    if (item.rank < 0) continue;
    cell.rank = item.rank;
    cell.device = item.device;
    cell.seconds += static_cast<double>(item.seconds);
    cell.ended = std::max(cell.ended, static_cast<double>(item.start_s + item.seconds));
  }
  return cells;
}

/// A bar of a lane; spans too short to be seen join their neighbour, or are left out beside it.
struct Lane {
  std::string name;
  Json spans = Json::array();
  double last_end_s = 0;
  std::string last;

  void add(std::string_view stage, std::int64_t item, double start_s, double end_s, double step_s) {
    const bool beside = start_s - last_end_s < step_s;
    if (!spans.empty() && beside && stage == last) {
      spans.back()[3] = last_end_s = std::max(last_end_s, end_s);
      return;
    }
    if (!spans.empty() && beside && end_s - start_s < step_s) return;
    spans.push_back({stage, item, start_s, end_s});
    last_end_s = end_s;
    last = stage;
  }
};

Json lanes_json(std::vector<Lane> lanes) {
  Json json = Json::array();
  for (Lane& lane : lanes) {
    if (!lane.spans.empty()) {
      json.push_back({{"name", std::move(lane.name)}, {"spans", std::move(lane.spans)}});
    }
  }
  return json;
}

}  // namespace

Json items_json(const ItemGrid& grid, const std::vector<MadeItem>& items,
                const std::vector<std::string>& devices) {
  if (grid.columns <= 0 || items.empty()) return nullptr;
  const std::int64_t joined = (std::max(grid.columns, grid.rows) + kMaxCells - 1) / kMaxCells;
  const std::int64_t columns = (grid.columns + joined - 1) / joined;
  const std::int64_t rows = (grid.rows + joined - 1) / joined;
  Json json = {{"columns", columns},
               {"rows", rows},
               {"tile_width", grid.width * joined},
               {"tile_height", grid.height * joined},
               {"device_names", devices}};
  for (const char* const key : {"state", "rank", "device", "seconds", "ended"})
    json[key] = Json::array();
  for (const ItemCell& cell : cells_of(grid, items, joined, columns, rows)) {
    const bool whole = cell.made == cell.items && cell.items > 0;
    const auto part =
        static_cast<double>(cell.made) / static_cast<double>(std::max<std::int64_t>(1, cell.items));
    json["state"].push_back(whole ? Json(1) : Json(part));
    json["rank"].push_back(cell.rank);
    json["device"].push_back(cell.device);
    json["seconds"].push_back(cell.seconds);
    json["ended"].push_back(cell.ended);
  }
  return json;
}

Json timeline_json(std::span<const RankReport> ranks, double wall_s) {
  std::vector<Lane> lanes;
  for (const RankReport& rank : ranks) {
    for (const ThreadReport& thread : rank.threads) {
      if (lanes.size() == kMaxLanes) break;
      Lane& lane = lanes.emplace_back();
      lane.name = fmt::format("rank {} {}", rank.rank, thread.name);
      for (const Span& span : thread.spans) {
        const bool phase = span.stage == Stage::open;
        lane.add(kStageNames[static_cast<std::size_t>(span.stage)], phase ? -1 : span.item,
                 span.start_s, span.end_s, wall_s / kTimeSteps);
      }
    }
  }
  return lanes_json(std::move(lanes));
}

Json timeline_json(const std::vector<TimedItem>& items, double wall_s) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return items[i].made.start_s; });
  std::map<int, std::vector<Lane>> ranks;
  for (const std::size_t i : order) {
    const MadeItem& item = items[i].made;
    const auto start_s = static_cast<double>(item.start_s);
    const double end_s = std::min(start_s + static_cast<double>(item.seconds), wall_s);
    std::vector<Lane>& lanes = ranks[item.rank];
    auto lane =
        std::ranges::find_if(lanes, [&](const Lane& one) { return one.last_end_s <= start_s; });
    if (lane == lanes.end() && lanes.size() == kMaxLanes) continue;
    if (lane == lanes.end()) {
      lane = lanes.insert(lane, {.name = fmt::format("rank {}", item.rank)});
    }
    lane->add(items[i].stage, items[i].item, start_s, end_s, wall_s / kTimeSteps);
  }
  std::vector<Lane> all;
  for (auto& [rank, lanes] : ranks) {
    std::ranges::move(lanes, std::back_inserter(all));
  }
  all.resize(std::min(all.size(), kMaxLanes));
  return lanes_json(std::move(all));
}

}  // namespace tessera::report
