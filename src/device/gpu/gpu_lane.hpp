// A lane on a GPU: one tile in flight. The lanes of a device form a ring: while one computes,
// another one copies, and the threads of the others deflate.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "device/gpu/launch_pacer.hpp"
#include "device/gpu/on_queue.hpp"
#include "device/gpu/pixel_stream.hpp"

namespace tessera::device::gpu {

class GpuLane : public OnQueue<Lane, Stream> {
 public:
  /// Limit for a stream's pixel memory: enough to hide the latency of launches and copies, and
  /// small enough that a ring of streams fits on small GPUs.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// `pacer` is shared by the lanes of a device. `most_bytes`: limit for the pixel memory.
  GpuLane(std::unique_ptr<Stream> stream, std::shared_ptr<LaunchPacer> pacer,
          const LaneOptions& options, std::size_t most_bytes = kMostBytes)
      : OnQueue(std::move(stream), std::min(most_bytes, kMostBytes)),
        pacer_(std::move(pacer)),
        options_(options) {}

  /// The most device memory of a lane with that limit, for tiles of this size.
  static std::uint64_t memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                    bool smooth, std::size_t most_bytes);

  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override;

 private:
  struct Layout;
  std::optional<BlockCounts> proven(const job::ImageSpec& image, const base::PixelRect& block,
                                    const BlockBuffers& out) const;
  BlockCounts render_block(const job::ImageSpec& image, const base::PixelRect& block,
                           const BlockBuffers& out);
  std::int64_t rows_in_memory(const Layout& layout, std::int64_t height);
  BlockCounts render_band(const job::ImageSpec& image, const base::PixelRect& band,
                          const Layout& layout, const BlockBuffers& out, std::int64_t first_row);
  StatsSlots launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                        const Layout& layout);
  base::ImageSize launch_px(const base::ImageSize& left, const job::ImageSpec& image,
                            const base::PixelRect& band, const Layout& layout) const;
  void copy_planes(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                   std::int64_t first_row);
  void copy_rows(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                 std::int64_t first_row);
  std::span<std::byte> staging(std::size_t bytes);

  std::shared_ptr<LaunchPacer> pacer_;
  LaneOptions options_;
  std::unique_ptr<HostBuffer> staging_;
};

}  // namespace tessera::device::gpu
