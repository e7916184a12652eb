// A lane on a GPU: one tile in flight. The lanes of a device form a ring: while one computes,
// another one copies, and the threads of the others deflate.
#pragma once

#include <memory>

#include "device/gpu/launch_pacer.hpp"
#include "device/gpu/pixel_stream.hpp"

namespace tessera::device::gpu {

class GpuLane : public Lane {
 public:
  /// `pacer` is shared by the lanes of a device.
  GpuLane(std::unique_ptr<Stream> stream, std::shared_ptr<LaunchPacer> pacer,
          const LaneOptions& options)
      : stream_(std::move(stream)), pacer_(std::move(pacer)), options_(options) {}

  /// Page-locked memory, or ordinary memory if there is no more of it: slower, with the same
  /// results.
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override;
  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override;

 private:
  struct Layout;
  BlockCounts render_block(const job::ImageSpec& image, const base::PixelRect& block,
                           const BlockBuffers& out);
  std::int64_t rows_in_memory(const Layout& layout, std::int64_t height);
  BlockCounts render_band(const job::ImageSpec& image, const base::PixelRect& band,
                          const Layout& layout, const BlockBuffers& out, std::int64_t first_row);
  StatsSlots launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                        const Layout& layout);
  void copy_planes(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                   std::int64_t first_row);
  void copy_rows(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                 std::int64_t first_row);
  std::span<std::byte> staging(std::size_t bytes);

  std::unique_ptr<Stream> stream_;
  std::shared_ptr<LaunchPacer> pacer_;
  LaneOptions options_;
  std::size_t no_room_for_bytes_ = 0;  ///< smallest size that could not be allocated; 0 = none yet
  std::unique_ptr<HostBuffer> staging_;
};

}  // namespace tessera::device::gpu
