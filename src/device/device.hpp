// What computes pixels. A Device is something that a rank drives (its CPU cores, a GPU); a Lane is
// one stream of work on it, driven by one worker thread with plain blocking calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/geometry.hpp"
#include "device/device_error.hpp"
#include "job/render_job.hpp"

namespace tessera::statistics {
struct OutputSpec;
struct ReductionSpec;
}  // namespace tessera::statistics

namespace tessera::device {

class AxisReducer;
class Reducer;

/// Where a lane puts a block of pixels: row r of the block starts at element r * stride_px.
/// `iterations` holds elements of job::iterations_type(image). `smooth` may be null.
struct BlockBuffers {
  std::byte* iterations = nullptr;
  float* smooth = nullptr;
  std::ptrdiff_t stride_px = 0;
  /// Not 0: the bytes come shuffled as HDF5's filter wants them, byte b of element e at
  /// b * plane_px + e. Only from devices whose shuffles() says so.
  std::ptrdiff_t plane_px = 0;
};

struct BlockCounts {
  std::uint64_t iterations = 0;  ///< sum of the counts of all pixels, as stored
  std::uint64_t executed = 0;    ///< orbit steps really carried out; shortcuts make it smaller
  /// All pixels have this count, and `smooth` too if it was wanted. Only a device that shuffles
  /// finds out, for a block that fills its buffers, which it then leaves as they were.
  std::optional<std::uint32_t> uniform;

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

/// Memory of the host that a lane copies to without a detour; plain memory unless the device has
/// something better. Lives no longer than the lane that made it.
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  virtual std::span<std::byte> bytes() = 0;
};

class Lane {
 public:
  virtual ~Lane() = default;
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
  /// Computes the pixels of `block` of the image; blocks until they are in `out`. Not thread-safe:
  /// one thread at a time per lane. Throws DeviceError when the device fails.
  virtual BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                             const BlockBuffers& out) = 0;
};

/// What a list of devices tells; what does not apply is empty or 0.
struct DeviceInfo {
  std::string name;    ///< as --device takes it: "cpu", "reference", "cuda:1"
  std::string detail;  ///< for people: "AVX3_ZEN4, 8 f64 a vector", "NVIDIA H200"
  std::string reason;  ///< why it cannot be used; "" if it can
  std::uint64_t memory_bytes = 0;
  std::string driver;   ///< "CUDA 13.0", "PoCL 3.1, OpenCL 3.0"
  std::string compute;  ///< compute capability or OpenCL C version: "9.0", "OpenCL C 1.2"
  bool fp64 = true;
  bool is_gpu = false;  ///< what `auto` prefers to CPU cores
  std::string uuid;     ///< the same for every rank that sees this device (or MIG instance)
  std::string pci;      ///< "0000:17:00.0": where hwloc finds its NUMA node
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// How many lanes keep this device busy: CPU threads, or tiles in flight on a GPU.
  virtual int lanes() const = 0;
  /// Rows of a tile in one call of Lane::render when threads share a tile; 0 = always whole tiles.
  virtual int rows_per_call(std::int64_t tile_width_px) const = 0;
  /// Throws DeviceError when the device has no room for another lane.
  virtual std::unique_ptr<Lane> open_lane(const LaneOptions& options) const = 0;
  /// Lanes take BlockBuffers::plane_px and are best given whole tiles.
  virtual bool shuffles() const { return false; }
  /// A stream of reductions for one of its threads; null from a device that reduces no arrays.
  virtual std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec&) const;
  /// The same for reductions over some axes.
  virtual std::unique_ptr<AxisReducer> open_axis_reducer(const statistics::OutputSpec&) const;
};

}  // namespace tessera::device
