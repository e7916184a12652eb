// Smaller scales of a plane, in memory: made block by block, spread over the plane first, so that
// the first blocks show all of it coarsely.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "browse/open_array.hpp"
#include "browse/plane.hpp"
#include "browse/plane_sample.hpp"

namespace tessera::browse {

/// A cell of level k stands for 2^k x 2^k elements and is the mean of those that are there: at the
/// least level of all its elements, above of its four cells. Any thread may use it.
class PlaneScales {
 public:
  /// Takes at most `max_bytes`.
  PlaneScales(std::shared_ptr<const OpenArray> array, Plane plane, std::size_t max_bytes);

  const OpenArray& array() const { return *array_; }
  const Plane& plane() const { return plane_; }
  /// Levels below this one are read from the array.
  int least_level() const { return least_; }
  int levels() const { return least_ + static_cast<int>(cells_.size()); }
  std::size_t bytes() const;

  /// Makes the next block; false if all are begun.
  bool make_next();
  /// Makes blocks for that long, and at least one.
  void make_for(std::chrono::milliseconds time);
  /// 0 to 1.
  double built_part() const;
  bool complete() const { return made_ == static_cast<std::int64_t>(order_.size()); }
  /// Changes when a picture can have changed.
  std::int64_t revision() const { return made_; }
  /// Why some blocks could not be read; "" if none failed.
  std::string problem() const;

  /// Cells of a level, row by row. NaN: missing. A cell that is not made yet has the mean of the
  /// nearest block that is.
  void read(int level, const base::PixelRect& cells, std::span<double> to) const;
  /// Elements from all over what is made of the plane, at most some ten thousand.
  std::vector<double> sample() const;

  void touch() { touched_ = Clock::now(); }
  /// Whether somebody has looked at it within that time.
  bool touched_within(std::chrono::seconds time) const {
    return Clock::now() - touched_.load() < time;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Cells {
    base::ImageSize size;
    std::vector<double> values;  ///< NaN = missing, or not there yet
  };
  struct Block {
    double mean = 0;  ///< NaN if it has no number
    bool made = false;
  };

  void choose_blocks();
  void order_blocks();
  base::PixelRect rect_of(std::int64_t block) const;
  void make(std::int64_t block);
  void store(std::int64_t block, const base::PixelRect& cells, const std::vector<double>& means);
  void renew_above(base::PixelRect cells);
  double mean_of_four(const Cells& below, std::int64_t x, std::int64_t y) const;
  double stand_in(std::int64_t row, std::int64_t column) const;

  std::shared_ptr<const OpenArray> array_;
  Plane plane_;
  int least_ = 0;
  std::vector<Cells> cells_;     ///< of level least_, and of each further one
  base::ImageSize block_px_{};   ///< elements of a block; whole cells
  base::ImageSize blocks_px_{};  ///< blocks of the plane
  std::vector<std::uint32_t> order_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::int64_t> made_{0};
  mutable std::shared_mutex mutex_;  ///< of all below
  std::vector<Block> blocks_;
  std::string problem_;
  PlaneSample sample_;
  std::atomic<Clock::time_point> touched_;
};

}  // namespace tessera::browse
