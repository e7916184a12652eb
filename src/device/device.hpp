// The interface of devices. A Device is hardware that a rank drives (its CPU cores, a GPU). A Lane
// is one stream of work on it, driven by one worker thread with blocking calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "base/geometry.hpp"
#include "base/meter.hpp"
#include "base/saturated_sum.hpp"
#include "device/device_error.hpp"
#include "device/opening.hpp"
#include "job/image/render_job.hpp"

namespace tessera::deep {
struct Advance;
}  // namespace tessera::deep

namespace tessera::statistics {
struct GroupSpec;
struct OutputSpec;
struct ReductionSpec;
}  // namespace tessera::statistics

namespace tessera::device {

class AxisReducer;
struct ExactWork;
class GroupReducer;
class Mapper;
struct OpenPixel;
class Reducer;

/// The destination of a block of pixels: row r of the block starts at element r * stride_px.
/// `iterations` holds elements of job::iterations_type(image). The others may be null.
struct BlockBuffers {
  std::byte* iterations = nullptr;
  float* smooth = nullptr;
  std::ptrdiff_t stride_px = 0;
  /// If not 0, the bytes are stored shuffled, as by HDF5's shuffle filter: byte b of element e at b
  /// * plane_px + e. Only devices with shuffles() support this.
  std::ptrdiff_t plane_px = 0;
  float* distance = nullptr;
  float* fraction = nullptr;
  float* gradient_x = nullptr;
  float* gradient_y = nullptr;
  float* phase = nullptr;

  job::PerField<float*> more() const {
    return {smooth, distance, fraction, gradient_x, gradient_y, phase};
  }
  job::MoreFields fields() const {
    job::MoreFields fields;
    for (const job::Field field : job::kMoreFields) fields[field] = more()[field] != nullptr;
    return fields;
  }
  /// Sets where the values of a field go.
  void set(job::Field field, std::byte* to) {
    if (field == job::Field::iterations) iterations = to;
    if (field == job::Field::smooth) smooth = reinterpret_cast<float*>(to);
    if (field == job::Field::distance) distance = reinterpret_cast<float*>(to);
    if (field == job::Field::fraction) fraction = reinterpret_cast<float*>(to);
    if (field == job::Field::gradient_x) gradient_x = reinterpret_cast<float*>(to);
    if (field == job::Field::gradient_y) gradient_y = reinterpret_cast<float*>(to);
    if (field == job::Field::phase) phase = reinterpret_cast<float*>(to);
  }
};

struct BlockCounts {
  std::uint64_t iterations = 0;  ///< base::saturated_sum() of the counts of all pixels, as stored
  std::uint64_t executed = 0;    ///< orbit steps actually executed; shortcuts reduce it
  std::uint64_t uncertain = 0;   ///< pixels by perturbation whose count f64 leaves open
  std::uint64_t uncertain_on_gpu = 0;  ///< pixels of those that a GPU computed again
  std::uint64_t uncertain_with_more =
      0;  ///< pixels of those that were computed again with more than 106 bits
  std::uint64_t undecided = 0;  ///< pixels of those that the most bits leave open
  /// The count that all pixels have, and also `smooth`, if requested; other values are then 0. Set
  /// only by devices with shuffles(), for a block that fills its buffers; the buffers are then not
  /// written.
  std::optional<std::uint64_t> uniform;

  BlockCounts& operator+=(const BlockCounts& other) {
    iterations = base::saturated_sum(iterations, other.iterations);
    executed += other.executed;
    uncertain += other.uncertain;
    uncertain_on_gpu += other.uncertain_on_gpu;
    uncertain_with_more += other.uncertain_with_more;
    undecided += other.undecided;
    return *this;
  }
};

/// Computes pixels of an exact image that f64 has given up (device/pixels/exact_block.hpp).
using FinishExact = BlockCounts (*)(const ExactWork& work, const base::PixelRect& block,
                                    std::span<OpenPixel> pixels,
                                    const std::function<bool()>& unwanted);

struct LaneOptions {
  /// Use the shortcuts that cannot change a pixel (docs/numerics.md); disabled only to measure.
  bool shortcuts = true;
  /// How the cores advance deep pixels that a GPU leaves uncertain; null = one at a time.
  const deep::Advance* advance = nullptr;
  /// How the cores finish exact pixels that a GPU leaves open; null = one at a time.
  FinishExact finish = nullptr;
};

/// Host memory from which the device copies fastest; ordinary memory by default. Must not outlive
/// the object that made it.
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  virtual std::span<std::byte> bytes() = 0;
};

class HostBuffers {
 public:
  virtual ~HostBuffers() = default;
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
};

class Lane : public HostBuffers {
 public:
  /// The most memory of its own that the device has used at one time, by all lanes; 0 = it has
  /// none, or failed.
  virtual std::uint64_t peak_memory_bytes() { return 0; }
  /// Computes the pixels of `block`; blocks until they are in `out`. One thread at a time per lane.
  /// Throws DeviceError if the device fails.
  virtual BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                             const BlockBuffers& out) = 0;
  /// From now on, render() throws Interrupted soon after `unwanted` has become true. It is asked
  /// between two launches of a GPU, by cores after some pixels or every million steps of them, and
  /// by both in pixels that they compute again with counters of 64 bits.
  virtual void interrupt_when(const std::function<bool()>& /*unwanted*/) {}
};

/// Description of a device; fields that do not apply are empty or 0.
struct DeviceInfo {
  std::string name;    ///< in the form of --device: "cpu", "reference", "cuda:1"
  std::string detail;  ///< for people: "AVX3_ZEN4, 8 f64 a vector", "NVIDIA H200"
  std::string reason;  ///< why it cannot be used; "" if it can
  std::uint64_t memory_bytes = 0;
  std::string driver;   ///< "CUDA 13.0", "PoCL 3.1, OpenCL 3.0"
  std::string compute;  ///< compute capability or OpenCL C version: "9.0", "OpenCL C 1.2"
  bool fp64 = true;
  bool is_gpu = false;        ///< `auto` prefers GPUs to CPU cores
  std::uint64_t threads = 0;  ///< that a GPU runs at once; 0 = not known
  bool fast_fp64 = false;     ///< a GPU with f64 at a quarter of the speed of f32 or more
  int lanes = 0;              ///< lanes of a GPU without a limit of its memory; 0 = not known
  std::string uuid;           ///< the same in every rank that sees this device (or MIG instance)
  std::string pci;            ///< "0000:17:00.0"; hwloc finds its NUMA node by it

  static auto members(auto& self) {
    return std::tie(self.name, self.detail, self.reason, self.memory_bytes, self.driver,
                    self.compute, self.fp64, self.is_gpu, self.threads, self.fast_fp64, self.lanes,
                    self.uuid, self.pci);
  }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Number of lanes that keep this device busy: CPU threads, or tiles in flight on a GPU.
  virtual int lanes() const = 0;
  /// How long the parts of opening it took; empty for cores.
  virtual Opening opening() const { return {}; }
  /// What it tells about itself; null for cores, whose host has one meter (PackageMeter), and for a
  /// GPU without a process of its own, where a call that hangs would be one of the rank.
  virtual std::unique_ptr<base::Meter> open_meter() const { return nullptr; }
  /// Rows per call of Lane::render if threads share a tile; 0 = always whole tiles.
  virtual int rows_per_call(std::int64_t tile_width_px) const = 0;
  /// The most memory of its own that a lane uses for tiles of this size; 0 = it has none.
  virtual std::uint64_t lane_memory_bytes(const job::ImageSpec&, const base::ImageSize& /*tile_px*/,
                                          const job::MoreFields&) const {
    return 0;
  }
  /// Memory of its own that all lanes share for this image, which is prepared. Throws a usage error
  /// if --device-memory has no room for it.
  virtual std::uint64_t shared_memory_bytes(const job::ImageSpec&, const job::MoreFields&) const {
    return 0;
  }
  /// Rows that a lane takes at a time of a tile that another device began.
  virtual int rows_to_help(std::int64_t tile_width_px) const {
    return rows_per_call(tile_width_px);
  }
  /// Throws DeviceError if the device has too little memory for another lane, and a usage error if
  /// --device-memory has no room for the first one.
  virtual std::unique_ptr<Lane> open_lane(const LaneOptions& options) const = 0;
  /// Whether lanes support BlockBuffers::plane_px; such devices work best on whole tiles.
  virtual bool shuffles() const { return false; }
  /// Whether a tile need not be rendered whose pixels are proven to have one value.
  virtual bool takes_proofs() const { return false; }
  /// Opens a reducer for one thread; null if the device cannot reduce arrays.
  virtual std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec&) const;
  /// Opens a reducer along axes for one thread; null if the device cannot do that.
  virtual std::unique_ptr<AxisReducer> open_axis_reducer(const statistics::OutputSpec&) const;
  /// Opens a reducer of groups for one thread; null if the device cannot do that.
  virtual std::unique_ptr<GroupReducer> open_group_reducer(const statistics::GroupSpec&) const;
  /// Opens a mapper for one thread; null if the cores of the rank evaluate expressions for the
  /// device, as they do for themselves.
  virtual std::unique_ptr<Mapper> open_mapper() const;
};

}  // namespace tessera::device
