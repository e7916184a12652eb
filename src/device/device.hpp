// What computes pixels. A Device is something that a rank drives (its CPU cores, a GPU); a Lane is
// one stream of work on it, driven by one worker thread with plain blocking calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/geometry.hpp"
#include "job/render_job.hpp"

namespace tessera::device {

/// Where a lane puts a block of pixels: row r of the block starts at element r * stride_px.
/// `iterations` holds elements of job::iterations_type(image). `smooth` may be null.
struct BlockBuffers {
  std::byte* iterations = nullptr;
  float* smooth = nullptr;
  std::ptrdiff_t stride_px = 0;
};

struct BlockCounts {
  std::uint64_t iterations = 0;  ///< sum of the counts of all pixels, as stored
  std::uint64_t executed = 0;    ///< orbit steps really carried out; shortcuts make it smaller

  BlockCounts& operator+=(const BlockCounts& other) {
    iterations += other.iterations;
    executed += other.executed;
    return *this;
  }
};

struct LaneOptions {
  /// Use the shortcuts that cannot change a pixel (docs/numerics.md); off only to measure.
  bool shortcuts = true;
};

class Lane {
 public:
  virtual ~Lane() = default;
  /// Computes the pixels of `block` of the image; blocks until they are in `out`. Not thread-safe:
  /// one thread at a time per lane. Throws base::Error when the device fails.
  virtual BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                             const BlockBuffers& out) = 0;
};

struct DeviceInfo {
  std::string name;    ///< as --device takes it: "cpu", "reference", "cuda:1"
  std::string detail;  ///< for people: "AVX3_ZEN4, 8 f64 a vector"
  std::string reason;  ///< why it cannot be used; "" if it can
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// How many lanes keep this device busy: CPU threads, or tiles in flight on a GPU.
  virtual int lanes() const = 0;
  /// Rows of a tile in one call of Lane::render when threads share a tile; 0 = always whole tiles.
  virtual int rows_per_call(std::int64_t tile_width_px) const = 0;
  virtual std::unique_ptr<Lane> open_lane(const LaneOptions& options) const = 0;
};

}  // namespace tessera::device
