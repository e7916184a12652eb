// A lane on a GPU: one tile in flight. The lanes of a device form a ring: while one computes,
// another one copies, and the threads of the others deflate.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "deep/deep_image.hpp"
#include "device/gpu/pixels/band_launches.hpp"
#include "device/gpu/pixels/band_layout.hpp"
#include "device/gpu/pixels/deep_upload.hpp"
#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/gpu/pixels/table_turns.hpp"
#include "device/gpu/queue/memory_budget.hpp"
#include "device/gpu/queue/on_queue.hpp"
#include "device/pixels/exact_limits.hpp"

namespace tessera::device::gpu {

class GpuLane;

/// The state that the lanes of a device share.
struct SharedByLanes {
  explicit SharedByLanes(double steps_per_s = LaunchPacer::kGpuStepsPerSecond)
      : pacer(steps_per_s) {}

  LaunchPacer pacer;
  LaunchPacer deep_pacer{LaunchPacer::kDeepStepsPerSecond, LaunchPacer::kDeepOrbitStepsPerSecond};
  TableTurns turns;
  LaunchPacer precise_pacer{LaunchPacer::kPreciseStepsPerSecond,
                            LaunchPacer::kPreciseOrbitStepsPerSecond};
  LaunchPacer open_pacer{LaunchPacer::kOpenStepsPerSecond};
  LaunchPacer wide_pacer{LaunchPacer::kWideStepsPerSecond, LaunchPacer::kWideOrbitStepsPerSecond};
  LaneMemory memory{};                ///< with --device-memory, before tables take their part
  std::mutex table_mutex;             ///< for the tables; guards the members below
  std::vector<GpuLane*> open;         ///< all lanes
  std::uint64_t more_bits_bytes = 0;  ///< of the tables of more bits that the device holds
  std::uint64_t without_room = 0;  ///< number of an image for which it had no room for such a table
};

/// Uncertain pixels by their places in a block, and by what has left them so.
struct UncertainPlaces {
  std::vector<std::uint32_t> after_f64, after_106_bits;
};

class GpuLane : public OnQueue<Lane, Stream> {
 public:
  /// Limit for a stream's pixel memory: enough to hide the latency of launches and copies, and
  /// small enough that a ring of streams fits on small GPUs.
  // crossed by: goes_on_in_bands_when_the_device_is_full, says_how_much_memory_it_takes
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  /// The device computes so many uncertain pixels of a block again, or more.
  // crossed by: whose_uncertain_counts_a_gpu_computes_again
  static constexpr std::size_t kFewestPrecise = 256;
  /// For open pixels of exact images, if their orbits are no longer: a launch takes all steps of
  /// one.
  // crossed by: OpenPixelsOfLongOrbits
  static constexpr std::uint32_t kLongestOpen = LaunchPacer::kWholeOrbit / 16;
  /// The same with 190 bits, of which a step takes a core a microsecond.
  // crossed by: whose_counts_a_gpu_computes_with_190_bits
  static constexpr std::size_t kFewestWide = 16;

  /// `max_bytes`: limit for the pixel memory.
  GpuLane(std::unique_ptr<Stream> stream, std::shared_ptr<SharedByLanes> shared,
          const LaneOptions& options, std::size_t max_bytes = kMaxBytes);
  ~GpuLane() override;
  GpuLane(const GpuLane&) = delete;
  GpuLane& operator=(const GpuLane&) = delete;

  /// The most device memory of a lane with that limit, for tiles of this size.
  static std::uint64_t memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                    const job::MoreFields& fields, std::size_t max_bytes);

  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override;
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override;
  std::uint64_t peak_memory_bytes() override;
  void interrupt_when(const std::function<bool()>& unwanted) override { cancelled_ = unwanted; }

 private:
  using DeepImage = std::shared_ptr<const deep::DeepImage>;
  std::optional<BlockCounts> proven(const job::ImageSpec& image, const base::PixelRect& block,
                                    const BlockBuffers& out) const;
  BlockCounts render_block(const job::ImageSpec& image, const base::PixelRect& block,
                           const BlockBuffers& out);
  /// Makes the device hold the table of the image. Its lanes must have their turn.
  void hold_table(const deep::DeepImage& deep);
  /// Gives memory back if the lane has more than `max_bytes` for pixels. For any thread.
  void limit_memory(std::size_t max_bytes);
  std::int64_t rows_in_memory(const BandLayout& layout, std::int64_t height);
  BlockCounts render_band(const job::ImageSpec& image, const base::PixelRect& band,
                          const BandLayout& layout, const BlockBuffers& out, std::int64_t first_row,
                          UncertainPlaces& uncertain);
  BandStats launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                       const BandLayout& layout);
  /// Whether the device follows so many open pixels with 106 bits.
  static bool follows_open(const job::ImageSpec& image, std::size_t open) {
    return image.bounded() && open >= kFewestPrecise && image.iterations <= kLongestOpen;
  }
  base::ImageSize launch_px(const base::ImageSize& left, const job::ImageSpec& image,
                            const base::PixelRect& band, const BandLayout& layout) const;
  void copy_planes(const BandLayout& layout, const base::PixelRect& band, const BlockBuffers& out,
                   std::int64_t first_row);
  void copy_rows(const BandLayout& layout, const base::PixelRect& band, const BlockBuffers& out,
                 std::int64_t first_row);
  /// Reads the list of uncertain pixels of a band into `uncertain`, by their places in the block.
  void read_uncertain(const base::PixelRect& band, const BandLayout& layout, std::int64_t first_row,
                      std::size_t count, std::vector<std::uint32_t>& uncertain);
  /// Computes the pixels that the device has listed as uncertain.
  BlockCounts recompute(const deep::DeepImage& deep, const base::PixelRect& block,
                        const BandLayout& layout, const BlockBuffers& out,
                        std::vector<std::uint32_t> uncertain);
  BlockCounts render_on_host(const job::ImageSpec& image, const base::PixelRect& block,
                             const BlockBuffers& out) const;
  void send_exact(const job::ImageSpec& image, std::size_t to);
  void launch_open(const base::PixelRect& band, Tile tile, BandLaunches& launches);
  BlockCounts finish(const job::ImageSpec& image, const base::PixelRect& block,
                     const BandLayout& layout, const BlockBuffers& out, UncertainPlaces uncertain);
  std::vector<kernels::TsDeepResult> advance_precise(const deep::DeepImage& deep,
                                                     const base::PixelRect& block,
                                                     const deep::PreciseTable& table,
                                                     std::size_t tier,
                                                     std::span<const std::uint32_t> pixels);
  std::vector<kernels::TsDeepResult> advance_wide(const deep::DeepImage& deep,
                                                  const base::PixelRect& block,
                                                  const deep::WideTier& wide,
                                                  std::span<const std::uint32_t> pixels);
  bool hold_table_of_more_bits(const deep::DeepImage& deep, const MoreBitsTable& table);
  template <class Work>
  std::vector<kernels::TsDeepResult> with_memory(std::size_t bytes, const Work& work);
  std::span<std::byte> list(std::size_t bytes);
  std::span<std::byte> staging(std::size_t bytes);

  std::shared_ptr<SharedByLanes> shared_;
  LaneOptions options_;
  std::size_t opened_with_bytes_;  ///< limit for the pixel memory beside any table
  std::mutex stream_mutex_;        ///< guards the stream and the members of OnQueue
  std::function<bool()> cancelled_;
  KeptExactImage exact_;  ///< of the image that was rendered last
  std::unique_ptr<HostBuffer> staging_;
  std::unique_ptr<HostBuffer> list_;  ///< of pixels that are computed again
};

}  // namespace tessera::device::gpu
