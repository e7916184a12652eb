// A stream of a GPU that renders with the reference.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "device/gpu/pixels/pixel_stream.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device::gpu {

/// What the lane asked for, and how much room there is.
struct Log {
  std::size_t room_bytes = std::size_t{1} << 30;
  std::vector<base::ImageSize> launched_px;
  std::vector<std::uint32_t> left;  ///< orbits that each cut launch continued
  int copies = 0;
  int fail_at_launch = -1;
};

class PlainMemory : public HostBuffer {
 public:
  explicit PlainMemory(std::size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class ReferenceStream : public Stream {
 public:
  ReferenceStream(Log& log, const job::ImageSpec& image, std::size_t capacity)
      : log_(log), image_(image), memory_(capacity, std::byte{0x5A}) {}

  std::size_t capacity() const override { return memory_.size(); }
  bool grow(std::size_t bytes) override {
    if (bytes > log_.room_bytes) return false;
    memory_.assign(bytes, std::byte{0x5A});
    return true;
  }
  void clear(std::size_t bytes) override { std::fill_n(memory_.begin(), bytes, std::byte{0}); }
  void begin_stats() override { slots_.fill(kNoPixels); }
  void launch(const Tile& tile) override;
  BandStats read_stats() override { return joined(slots_); }
  void copy_out(std::size_t from, std::span<std::byte> to) override {
    ++log_.copies;
    std::memcpy(to.data(), &memory_.at(from), to.size());
  }
  void wait() override {}
  void copy_in(std::span<const std::byte>, std::size_t) override {}
  bool use_deep(std::uint64_t, std::uint32_t) override { return false; }
  bool make_deep(std::uint32_t, const kernels::TsDeepImage&, std::size_t) override { return false; }
  void copy_deep(std::span<const std::byte>, std::size_t) override {}
  void share_deep(std::uint64_t) override {}
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return std::make_unique<PlainMemory>(bytes);
  }

 private:
  static std::uint32_t count_of(const Tile& tile, const RenderedBlock& block, std::uint64_t pixel);
  /// Stores a pixel of the launch and counts it.
  void put(const Tile& tile, const RenderedBlock& block, std::uint64_t pixel);

  Log& log_;
  job::ImageSpec image_;
  std::vector<std::byte> memory_;
  StatsSlots slots_{};
};

}  // namespace tessera::device::gpu
