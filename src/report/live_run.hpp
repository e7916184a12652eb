// Knowledge of the gather rank about a run while it goes on, for its page and for its HTML report.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "report/json_parts.hpp"

namespace tessera::report {

/// How the items of a run lie beside each other: tiles of an image, or one row after the other.
struct ItemGrid {
  std::int64_t columns = 0, rows = 0;
  std::int64_t width = 1, height = 1;  ///< size of an item; the ratio is its shape
};

/// Who made an item, and when.
struct MadeItem {
  static constexpr int kMissing = -1, kFound = -2;  ///< by an earlier run
  int rank = kMissing;
  std::uint16_t device = 0;
  float start_s = 0;  ///< since the start of the run
  float seconds = 0;  ///< 0 = not known
};

/// Such an item, for a timeline.
struct TimedItem {
  std::string stage;
  std::int64_t item = 0;
  MadeItem made;
};

/// Thread-safe.
class LiveRun {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  /// `command` is also the label of the farm that makes the items; other farms are only stages.
  /// `title`: what the user calls the run, such as the name of its file.
  LiveRun(std::string command, std::string title, std::string version,
          base::Clock::time_point origin);

  void set_options(Texts options);
  /// The grid of the items of that farm; without it, they are shown as some rows.
  void set_grid(const ItemGrid& grid);
  /// A phase without items begins.
  void enter(std::string text);
  /// A farm begins on all workers, with items that earlier runs finished.
  void begin(std::string label, std::string item, std::int64_t count,
             const std::vector<bool>& finished, int workers);
  /// An item was stored. Its times are those of take_time(), if that was called.
  void store(std::int64_t item, const MadeItem& made);
  /// An item of the main farm took that long.
  void take_time(std::int64_t item, MadeItem made, const std::string& device);
  /// The predicted share of the work that is done, and the ranks with items in hand.
  void estimate(double share, std::vector<std::pair<int, std::int64_t>> in_hand);
  /// The memory that the rank has now.
  void set_memory(int rank, std::uint64_t bytes);
  /// The power of the rank's hardware now.
  void set_power(int rank, double watts);
  void note(std::string message);
  /// "running" until this is called.
  void end(std::string state);
  bool running() const;

  /// The document of the page of a run (docs/report.md).
  Json document() const;
  /// Its timeline, of a run that has taken `wall_s`.
  Json timeline(double wall_s) const;

 private:
  struct Stage {
    std::string label, item;
    std::int64_t count = 0, done = 0, found = 0;
    double start_s = 0;
    double found_share =
        -1;            ///< share of the work that was found when it began; -1 = not known yet
    double share = 0;  ///< share of the work that is done, items in progress included
    std::optional<double> left_s;
  };
  struct State {
    std::string state = "running";
    Texts options;
    ItemGrid grid;
    bool has_grid = false;
    int workers = 0;
    Stage stage;
    Stage main;                   ///< the main farm, as it is or was at last
    std::string item = "item";    ///< name of an item of the main farm
    std::vector<MadeItem> items;  ///< items of the main farm
    std::vector<std::string> devices;
    std::map<int, std::int64_t> stored;  ///< items of the main farm, by rank
    std::map<int, std::uint64_t> memory_bytes;
    std::map<int, double> power_w;
    std::vector<TimedItem>
        earlier;  ///< items of other farms, and of the main farm's earlier passes
    std::vector<std::pair<int, std::int64_t>> in_hand;
    std::vector<std::pair<float, std::int64_t>> rates;  ///< time, items done by then
    float rate_step_s = 0.1F;
    std::vector<std::string> messages;
  };
  bool in_main_farm() const { return state_.stage.label == command_; }
  double now_s() const;
  void remember(std::string_view stage, std::int64_t item, const MadeItem& made);
  static std::vector<TimedItem> timed_items(const State& state, const std::string& command);
  void sample_rate();

  const std::string command_, title_, version_;
  const base::Clock::time_point origin_;
  mutable std::mutex mutex_;
  State state_;
};

/// The items as a map of at most 256 x 256 cells.
Json items_json(const ItemGrid& grid, const std::vector<MadeItem>& items,
                const std::vector<std::string>& devices);
/// A lane for each thread that recorded spans, with spans too short to be seen joined.
Json timeline_json(std::span<const RankReport> ranks, double wall_s);
/// The same from the items alone: as many lanes of a rank as it had items at the same time.
Json timeline_json(const std::vector<TimedItem>& items, double wall_s);

}  // namespace tessera::report
