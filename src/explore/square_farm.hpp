// Renders squares on demand, on all lanes of the devices of this process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/lru_cache.hpp"
#include "binding/render_lanes.hpp"
#include "explore/orbits.hpp"
#include "explore/place.hpp"
#include "explore/square_queue.hpp"
#include "job/image/render_job.hpp"

namespace tessera::explore {

struct FarmSpec {
  std::size_t cache_bytes = 0;    ///< bytes of the cache of values
  std::size_t orbit_bytes = 0;    ///< bytes of reference orbits and their tables
  std::size_t max_waiting = 512;  ///< squares
  int max_requests = 256;         ///< that may wait for squares at a time
  /// Timeout of a request. Its square is rendered nevertheless.
  std::chrono::milliseconds max_wait = std::chrono::seconds(30);
  /// Called by any thread with each square that has ended.
  std::function<void(const SquareTask&)> ended = {};
};

/// Any thread may use it.
class SquareFarm {
 public:
  using Values = std::shared_ptr<const SquareValues>;

  /// `lanes` must outlive it.
  SquareFarm(binding::Lanes& lanes, const job::RenderJob& job, Places& places,
             const FarmSpec& spec);
  /// Ends when the lanes have finished their squares.
  ~SquareFarm();
  SquareFarm(const SquareFarm&) = delete;
  SquareFarm& operator=(const SquareFarm&) = delete;

  /// Blocks until the square is rendered. Throws HttpError 404 for an unknown place, 410 after a
  /// newer view of the client, 429 if too many squares or requests wait or after `max_wait`, and
  /// the errors of image_of().
  Values values(const SquareKey& key, const Want& want);
  /// The values of a rendered square; null if the cache lacks them.
  Values known(const SquareKey& key) { return cache_.find(key); }
  /// Queues the square, if the queue has room, and returns at once.
  void begin(const SquareKey& key, const Want& want);
  std::optional<Place> place(std::uint64_t id) { return places_.find(id); }

  // For squares that other ranks render.

  /// The next square, if one waits.
  TaskPointer take();
  void put_back(const TaskPointer& task);
  /// `values` is null for a square that failed; `error` is the reason.
  void finish(const TaskPointer& task, const Values& values, const std::string& error);
  /// Ends the running square if nobody wants it any more. True if so.
  bool end_if_given_up(const TaskPointer& task);
  void drop(const SquareKey& key);
  /// The reference orbit of the square's image, if it is here.
  std::shared_ptr<const CachedOrbit> orbit_of(const SquareTask& task);
  void keep_orbit(CachedOrbit orbit) { orbits_.keep(std::move(orbit)); }

  /// Ends all waiting requests.
  void close();
  /// The square for the devices. Throws as values().
  SquareImage image(const SquareKey& key);

 private:
  TaskPointer ask(const SquareKey& key, const Want& want);
  void run_lane(int lane);
  /// Whether a lane may stop rendering it.
  bool unwanted(const TaskPointer& task);
  SquareValues render_square(int lane, const TaskPointer& task);
  /// False if the lane's device has failed.
  bool render(int lane, const TaskPointer& task);
  void prepare_orbits();
  bool any_lane_left();

  binding::Lanes& lanes_;
  job::RenderJob job_;
  Places& places_;
  base::LruCache<SquareKey, const SquareValues> cache_;
  FarmSpec spec_;
  Orbits orbits_;
  std::mutex mutex_;  ///< guards the members below
  std::condition_variable changed_;
  SquareQueue queue_;
  int requests_ = 0;  ///< that wait
  std::atomic<bool> closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tessera::explore
