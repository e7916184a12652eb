// The two interfaces that a product implements: Work computes items on every rank, Sink receives
// the results on the gather rank. The farm knows nothing else of a product.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/meter.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// A piece of an item's result. Most results are one chunk; `last` marks the final chunk of an
/// item.
struct ResultChunk {
  std::int64_t item = 0;
  bool last = true;
  base::Bytes body;
  int rank = 0;  ///< rank that computed it; set on the gather rank
  /// How long the item took, from when on (since the start of the run); set in its last chunk.
  float start_s = 0, seconds = 0;

  static auto members(auto& self) {
    return std::tie(self.item, self.last, self.body, self.start_s, self.seconds);
  }
};

/// The part of an item that is done, from 0 to 1.
struct ItemProgress {
  std::int64_t item = 0;
  float done = 0;

  static auto members(auto& self) { return std::tie(self.item, self.done); }
  friend bool operator==(const ItemProgress&, const ItemProgress&) = default;
};

using SendResult = std::function<void(ResultChunk)>;

/// All chunks of one item, in order. They stay together on their way, so that the sink never sees a
/// part of a result whose rank was lost.
using Result = std::vector<ResultChunk>;

inline std::size_t weight_of(const Result& result) {
  std::size_t bytes = 0;
  for (const ResultChunk& result_chunk : result) bytes += result_chunk.body.size();
  return bytes;
}

/// One item in progress. Its parts may run on several threads at the same time. If begin(), a part
/// or finish() throws device::DeviceError, the lane is lost. Another lane then repeats the part, or
/// the whole item if the lost lane began it.
class Task {
 public:
  virtual ~Task() = default;
  virtual int parts() const = 0;
  /// `lane`: number of the calling worker thread, unique among concurrent calls.
  virtual void run_part(int part, int lane) = 0;
  /// The number of parts that `lane` takes together, if there are as many.
  virtual int parts_at_once(int /*lane*/) const { return 1; }
  /// Runs parts_at_once(lane) parts or fewer. None of them is done if it throws.
  virtual void run_parts(int first, int /*count*/, int lane) { run_part(first, lane); }
  /// Called after all parts, on the thread that began the task.
  virtual void finish(int lane, const SendResult& send_result) = 0;
};

/// A task of one part with a result of one chunk.
class OnePartTask : public Task {
 public:
  /// Returns the body of the result; nothing if the item was dropped.
  using Run = std::function<std::optional<base::Bytes>(std::int64_t item, int lane)>;
  OnePartTask(std::int64_t item, Run run) : item_(item), run_(std::move(run)) {}

  int parts() const override { return 1; }
  void run_part(int, int lane) override { body_ = run_(item_, lane); }
  void finish(int, const SendResult& send_result) override {
    if (body_) send_result({.item = item_, .body = std::move(*body_)});
  }

 private:
  std::int64_t item_;
  Run run_;
  std::optional<base::Bytes> body_;
};

class Work {
 public:
  virtual ~Work() = default;
  virtual int lanes() const = 0;
  /// Lanes of the same device return the same number, from 0 on.
  virtual int device_of_lane(int) const { return 0; }
  /// Whether the devices may disturb each other, so that one of them alone could be faster than all
  /// together. Then this is measured at the start.
  virtual bool tries_devices() const { return false; }
  /// The device that joins the others once it is open, or has joined them; -1 = none. Its lanes are
  /// lost until then.
  virtual int late_device() const { return -1; }
  /// How many devices have joined. Thread-safe.
  virtual int joined() const { return 0; }
  /// Whether the lane's device has failed, in this farm or an earlier one of the run, is not open
  /// yet, or waits until others fail; such a lane gets no work. Thread-safe.
  virtual bool lane_lost(int) const { return false; }
  /// Called by the lane's thread: the device has failed, so all its lanes are lost. Others may be
  /// lost no more afterwards. Returns a description of what happened.
  virtual std::string lose_lane(int, const std::string& why) { return why; }
  /// Number of lanes that are not lost.
  int live_lanes() const {
    int live = 0;
    for (int lane = 0; lane < lanes(); ++lane) live += lane_lost(lane) ? 0 : 1;
    return live;
  }
  /// What the rank's hardware takes now, as far as it tells. Thread-safe.
  virtual double power_w() const { return base::kNotTold; }
  virtual std::unique_ptr<Task> begin(std::int64_t item, int lane) = 0;
  /// The stages to which the times of Task::run_part and of Task::finish belong.
  virtual report::Stage part_stage() const = 0;
  virtual report::Stage finish_stage() const = 0;
};

/// An item that a rank has stored.
struct StoredItem {
  int rank = 0;  ///< that computed it
  std::int64_t item = 0;
  float start_s = 0, seconds = 0;  ///< as in ResultChunk

  static auto members(auto& self) {
    return std::tie(self.rank, self.item, self.start_s, self.seconds);
  }
};

/// Used on a rank that stores results, by a single thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void put(ResultChunk result_chunk) = 0;
  /// This rank stores the part from now on, as its rank was lost. Returns the items that are stored
  /// in it. Called only in farms of several parts.
  virtual std::vector<StoredItem> adopt(std::size_t /*part*/) { return {}; }
  /// The last call, if all items of the farm are stored.
  virtual void close() {}
};

}  // namespace tessera::farm
