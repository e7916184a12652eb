// A lane on a GPU: one tile in flight. A device has several of them, which are the ring: while one
// computes, another copies, and the threads of the others deflate.
#pragma once

#include <memory>

#include "device/gpu/launch_pacer.hpp"
#include "device/gpu/stream.hpp"

namespace tessera::device::gpu {

class GpuLane : public Lane {
 public:
  GpuLane(std::unique_ptr<Stream> stream, const LaneOptions& options)
      : stream_(std::move(stream)), options_(options) {}

  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return stream_->make_host_buffer(bytes);
  }
  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override;

 private:
  struct Layout;
  std::int64_t rows_in_memory(const Layout& layout, std::int64_t height);
  BlockCounts render_band(const job::ImageSpec& image, const base::PixelRect& band,
                          const Layout& layout, const BlockBuffers& out, std::int64_t first_row);
  std::int64_t launch(const job::ImageSpec& image, const base::PixelRect& band,
                      const Layout& layout);
  void copy_planes(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                   std::int64_t first_row);
  void copy_rows(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                 std::int64_t first_row);
  std::span<std::byte> staging(std::size_t bytes);

  std::unique_ptr<Stream> stream_;
  LaneOptions options_;
  LaunchPacer pacer_;
  std::unique_ptr<HostBuffer> staging_;
};

}  // namespace tessera::device::gpu
