#include "report/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace tessera::report {
namespace {

constexpr std::size_t kMaxSamples = 400;
// crossed by: KeepsTheFirstMessages
constexpr std::size_t kMaxMessages = 200;
/// Items of farms that are over.
// crossed by: ForgetsTheShortestItemsFirst
constexpr std::size_t kMaxEarlier = 1 << 15;

/// A sheet about twice as wide as high.
ItemGrid sheet_of(std::int64_t count) {
  const auto columns =
      static_cast<std::int64_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(count))));
  return {.columns = columns, .rows = columns > 0 ? (count + columns - 1) / columns : 0};
}

/// The stage of the main farm's items.
std::string_view stage_of(std::string_view command) {
  return command == "render" ? kStageNames[static_cast<std::size_t>(Stage::compute)] : command;
}

Json ranks_now(const std::map<int, std::int64_t>& stored,
               const std::map<int, std::uint64_t>& memory_bytes,
               const std::map<int, double>& power_w,
               const std::vector<std::pair<int, std::int64_t>>& in_hand,
               const std::vector<MadeItem>& items, const std::vector<std::string>& devices,
               const std::string& item) {
  std::map<int, Json> ranks;
  for (const auto& [rank, done] : stored) ranks[rank]["items"] = done;
  for (const auto& [rank, bytes] : memory_bytes) ranks[rank]["memory_bytes"] = bytes;
  for (const auto& [rank, watts] : power_w) ranks[rank]["power_w"] = watts;
  for (const auto& [rank, held] : in_hand) {
    ranks[rank]["now"] = fmt::format("{} queued", base::count_of(held, item));
  }
  for (const MadeItem& made : items) {
    if (made.rank >= 0 && made.device < devices.size()) {
      ranks[made.rank]["device"] = devices[made.device];
    }
  }
  Json list = Json::array();
  for (auto& [rank, json] : ranks) {
    json["rank"] = rank;
    list.push_back(std::move(json));
  }
  return list;
}

std::uint64_t sum_of(const std::map<int, std::uint64_t>& bytes) {
  std::uint64_t sum = 0;
  for (const auto& [rank, of_rank] : bytes) sum += of_rank;
  return sum;
}

}  // namespace

LiveRun::LiveRun(std::string command, std::string title, std::string version,
                 base::Clock::time_point origin)
    : command_(std::move(command)),
      title_(std::move(title)),
      version_(std::move(version)),
      origin_(origin) {}

double LiveRun::now_s() const {
  return base::seconds_between(origin_, base::Clock::now());
}

void LiveRun::set_options(Texts options) {
  const std::scoped_lock lock(mutex_);
  state_.options = std::move(options);
}

void LiveRun::set_grid(const ItemGrid& grid) {
  const std::scoped_lock lock(mutex_);
  state_.grid = grid;
  state_.has_grid = true;
}

void LiveRun::enter(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (!text.empty()) state_.stage = {.label = std::move(text)};
}

void LiveRun::begin(std::string label, std::string item, std::int64_t count,
                    const std::vector<bool>& finished, int workers) {
  const std::scoped_lock lock(mutex_);
  if (label == command_) {
    for (std::size_t i = 0; i < state_.items.size(); ++i) {
      remember(stage_of(command_), static_cast<std::int64_t>(i), state_.items[i]);
    }
  }
  const auto found = std::ranges::count(finished, true);
  state_.stage = {.label = std::move(label),
                  .item = std::move(item),
                  .count = count,
                  .done = found,
                  .found = found,
                  .start_s = now_s()};
  state_.workers = workers;
  if (!in_main_farm()) return;
  state_.main = state_.stage;
  if (!state_.has_grid) state_.grid = sheet_of(count);
  state_.item = state_.stage.item;
  state_.items.assign(static_cast<std::size_t>(count), {});
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (finished[i]) state_.items[i].rank = MadeItem::kFound;
  }
  state_.rates = {{static_cast<float>(now_s()), found}};
}

/// An item of a farm that is over, or not the main one. The shortest ones are forgotten first.
void LiveRun::remember(std::string_view stage, std::int64_t item, const MadeItem& made) {
  if (made.rank < 0 || made.seconds <= 0) return;
  auto& earlier = state_.earlier;
  earlier.push_back({std::string(stage), item, made});
  if (earlier.size() < kMaxEarlier) return;
  const auto half = earlier.begin() + kMaxEarlier / 2;
  std::ranges::nth_element(earlier, half, std::ranges::greater(),
                           [](const TimedItem& one) { return one.made.seconds; });
  earlier.erase(half, earlier.end());
}

void LiveRun::sample_rate() {
  auto& rates = state_.rates;
  const auto now = static_cast<float>(now_s());
  if (now - rates.back().first < state_.rate_step_s) return;
  rates.emplace_back(now, state_.stage.done);
  if (rates.size() < kMaxSamples) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rates.size(); i += 2) rates[kept++] = rates[i];
  rates.resize(kept);
  state_.rate_step_s *= 2;
}

void LiveRun::store(std::int64_t item, const MadeItem& made) {
  const std::scoped_lock lock(mutex_);
  ++state_.stage.done;
  if (!in_main_farm()) return remember(state_.stage.label, item, made);
  ++state_.main.done;
  MadeItem& known = state_.items[static_cast<std::size_t>(item)];
  if (known.seconds <= 0) known = made;
  known.rank = made.rank;
  ++state_.stored[made.rank];
  sample_rate();
}

void LiveRun::take_time(std::int64_t item, MadeItem made, const std::string& device) {
  const std::scoped_lock lock(mutex_);
  auto& devices = state_.devices;
  const auto found = std::ranges::find(devices, device);
  made.device = static_cast<std::uint16_t>(found - devices.begin());
  if (found == devices.end()) devices.push_back(device);
  state_.items[static_cast<std::size_t>(item)] = made;
}

void LiveRun::estimate(double share, std::vector<std::pair<int, std::int64_t>> in_hand) {
  const std::scoped_lock lock(mutex_);
  Stage& stage = state_.stage;
  if (stage.found_share < 0) stage.found_share = share;
  stage.share = share = std::max(stage.share, share);
  if (in_main_farm()) state_.main.share = share;
  const double done = share - stage.found_share;
  const double elapsed_s = now_s() - stage.start_s;
  if (done > 0) stage.left_s = elapsed_s / done * (1 - share);
  state_.in_hand = std::move(in_hand);
}

void LiveRun::set_memory(int rank, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  state_.memory_bytes[rank] = bytes;
}

void LiveRun::set_power(int rank, double watts) {
  const std::scoped_lock lock(mutex_);
  state_.power_w[rank] = watts;
}

void LiveRun::note(std::string message) {
  const std::scoped_lock lock(mutex_);
  if (state_.messages.size() < kMaxMessages) state_.messages.push_back(std::move(message));
}

void LiveRun::end(std::string state) {
  const std::scoped_lock lock(mutex_);
  state_.state = std::move(state);
}

bool LiveRun::running() const {
  const std::scoped_lock lock(mutex_);
  return state_.state == "running";
}

std::vector<TimedItem> LiveRun::timed_items(const State& state, const std::string& command) {
  std::vector<TimedItem> all = state.earlier;
  for (std::size_t i = 0; i < state.items.size(); ++i) {
    if (state.items[i].rank < 0 || state.items[i].seconds <= 0) continue;
    all.push_back({std::string(stage_of(command)), static_cast<std::int64_t>(i), state.items[i]});
  }
  return all;
}

Json LiveRun::document() const {
  State now;
  {
    // The run waits for no more than this copy.
    const std::scoped_lock lock(mutex_);
    now = state_;
  }
  const double elapsed_s = now_s();
  // A phase without items leaves those of the run in sight.
  const bool counts = now.state == "running" && now.stage.count > 0;
  const Stage& counted = counts ? now.stage : now.main;
  Json rates = Json::array();
  for (const auto& [time_s, done] : now.rates) rates.push_back({time_s, done});
  Json json = {{"schema", "tessera-run-1"},
               {"title", title_},
               {"command", command_},
               {"version", version_},
               {"state", now.state},
               {"stage", now.stage.label},
               {"item", now.item},
               {"stage_item", counted.item},
               {"done", counted.done},
               {"total", counted.count},
               {"share", counted.share},
               {"elapsed_s", elapsed_s},
               {"left_s", now.stage.left_s ? Json(*now.stage.left_s) : Json(nullptr)},
               {"workers", now.workers},
               {"rates", std::move(rates)},
               {"ranks", ranks_now(now.stored, now.memory_bytes, now.power_w, now.in_hand,
                                   now.items, now.devices, now.item)},
               {"memory_bytes", sum_of(now.memory_bytes)},
               {"messages", now.messages},
               {"job", texts_json(now.options)}};
  json["tiles"] = items_json(now.grid, now.items, now.devices);
  json["timeline"] = timeline_json(timed_items(now, command_), elapsed_s);
  return json;
}

Json LiveRun::timeline(double wall_s) const {
  const std::scoped_lock lock(mutex_);
  return timeline_json(timed_items(state_, command_), wall_s);
}

}  // namespace tessera::report
