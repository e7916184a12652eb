// The two ends of the farm that a command fills in: what a rank does with an item, and what the
// gather rank does with what comes back. Rendering, colouring and previews differ only here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Result bytes of an item on their way to the sink. Most items send one parcel; `last` marks the
/// one with which the item is complete.
struct ResultChunk {
  std::int64_t item = 0;
  bool last = true;
  base::Bytes body;
  int rank = 0;  ///< whose result it is; known where it is stored
};

using SendResult = std::function<void(ResultChunk)>;

/// All parcels of one item, the last one at the end. They stay together all the way, so that the
/// sink never sees a part of what was lost with its maker.
using Result = std::vector<ResultChunk>;

inline std::size_t weight_of(const Result& result) {
  std::size_t bytes = 0;
  for (const ResultChunk& result_chunk : result) bytes += result_chunk.body.size();
  return bytes;
}

/// One item in the making. Its parts may run on several threads at once. When begin(), a part or
/// finish() throws device::DeviceError, the lane is lost: the part, or the
/// item if the lane began it, is made by another lane, some of it then for the second time.
class Task {
 public:
  virtual ~Task() = default;
  virtual int parts() const = 0;
  /// `lane`: number of the calling worker thread; no two threads call with the same one at once.
  virtual void run_part(int part, int lane) = 0;
  /// After all parts, on the thread that began the task.
  virtual void finish(int lane, const SendResult& send_result) = 0;
};

class Work {
 public:
  virtual ~Work() = default;
  virtual int lanes() const = 0;
  /// Lanes of the same device have the same number, from 0 on.
  virtual int device_of_lane(int) const { return 0; }
  /// A lane whose device has failed, in this farm or an earlier one of the run, gets no work. Any
  /// thread may ask.
  virtual bool lane_lost(int) const { return false; }
  /// The lane's device has failed: it and all lanes of the same device are lost. Called by its
  /// thread; returns in words for people what happened.
  virtual std::string lose_lane(int, const std::string& why) { return why; }
  /// Lanes that are not lost.
  int live_lanes() const {
    int live = 0;
    for (int lane = 0; lane < lanes(); ++lane) live += lane_lost(lane) ? 0 : 1;
    return live;
  }
  virtual std::unique_ptr<Task> begin(std::int64_t item, int lane) = 0;
  /// Under which stages the time of Task::run_part and of Task::finish goes.
  virtual report::Stage part_stage() const = 0;
  virtual report::Stage finish_stage() const = 0;
};

/// On the gather rank, called by one thread of its own.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void put(ResultChunk result_chunk) = 0;
};

}  // namespace tessera::farm
