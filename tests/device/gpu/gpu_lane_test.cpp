// The lane that GPUs share, on a stream that renders with the reference: bands, launches, failures.
#include "device/gpu/pixels/gpu_lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "device/gpu/gpu_device.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device::gpu {
namespace {

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
  StatsSlots read_stats() override { return slots_; }
  void copy_out(std::size_t from, std::span<std::byte> to) override {
    ++log_.copies;
    std::memcpy(to.data(), &memory_.at(from), to.size());
  }
  void wait() override {}
  bool use_deep(std::uint64_t) override { return false; }
  bool make_deep(const kernels::TsDeepImage&, std::size_t) override { return false; }
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

void ReferenceStream::launch(const Tile& tile) {
  if (static_cast<int>(log_.launched_px.size()) == log_.fail_at_launch) {
    throw DeviceError("launch of the render kernel: out of luck");
  }
  log_.launched_px.push_back({tile.width, tile.height});
  const base::PixelRect rect{static_cast<std::int64_t>(tile.x), static_cast<std::int64_t>(tile.y),
                             tile.width, tile.height};
  const bool smooth = (tile.flags & TS_SMOOTH) != 0;
  const RenderedBlock block = render_block("reference", image_, rect, {.smooth = smooth});
  if (tile.cut == 0) {
    for (std::uint32_t pixel = 0; pixel < rect.pixels(); ++pixel) put(tile, block, pixel);
    return;
  }
  log_.left.push_back(tile.left);
  std::vector<kernels::TsOrbit> orbits(kernels::orbits_of(tile));
  if (tile.left == 0) {
    for (std::uint32_t pixel = 0; pixel < orbits.size(); ++pixel) orbits[pixel].pixel = pixel;
  } else {
    std::memcpy(orbits.data(), &memory_.at(tile.orbits_byte), orbits.size() * sizeof(orbits[0]));
  }
  std::vector<kernels::TsOrbit> kept;
  for (kernels::TsOrbit& orbit : orbits) {
    orbit.n += tile.cut;
    if (count_of(tile, block, orbit.pixel) < orbit.n) {
      put(tile, block, orbit.pixel);
    } else {
      kept.push_back(orbit);
    }
  }
  EXPECT_EQ(tile.kept_before, slots_[0].kept);
  slots_[0].kept += static_cast<std::uint32_t>(kept.size());
  ASSERT_LE(tile.kept_byte + orbits.size() * sizeof(orbits[0]), memory_.size());
  std::reverse(kept.begin(), kept.end());  // any order will do
  if (!kept.empty()) {
    std::memcpy(&memory_.at(tile.kept_byte), kept.data(), kept.size() * sizeof(kept[0]));
  }
}

std::uint32_t ReferenceStream::count_of(const Tile& tile, const RenderedBlock& block,
                                        std::uint64_t pixel) {
  std::uint32_t count = 0;
  std::memcpy(&count, &block.iterations[pixel * tile.iterations_bytes], tile.iterations_bytes);
  return count;
}

void ReferenceStream::put(const Tile& tile, const RenderedBlock& block, std::uint64_t pixel) {
  const std::uint64_t at = tile.first + pixel / tile.width * tile.stride_px + pixel % tile.width;
  for (std::uint64_t b = 0; b < tile.iterations_bytes; ++b) {
    memory_.at(tile.iterations_byte + at * tile.iterations_pixel_step +
               b * tile.iterations_byte_step) = block.iterations[pixel * tile.iterations_bytes + b];
  }
  for (std::uint64_t b = 0; !block.smooth.empty() && b < sizeof(float); ++b) {
    memory_.at(tile.smooth_byte + at * tile.smooth_pixel_step + b * tile.smooth_byte_step) =
        std::as_bytes(std::span(block.smooth))[pixel * sizeof(float) + b];
  }
  const std::uint32_t count = count_of(tile, block, pixel);
  kernels::TsStats& slot = slots_.at(pixel % slots_.size());
  slot.iterations[0] += count;
  slot.least = std::min(slot.least, count);
  slot.most = std::max(slot.most, count);
}

const job::ImageSpec kImage{-0.75, 0.05, 3.0, {90, 70}, 200, 2.0};

struct Rendered {
  RenderedBlock block;
  Log log;
};

/// Counts and smooth values.
RenderedBlock truth_of(const job::ImageSpec& image) {
  RenderedBlock block = render_block("reference", image, whole(image), {true, true});
  block.distance.clear();
  return block;
}

Rendered render_with(std::size_t capacity, Log log, const job::ImageSpec& image = kImage,
                     double steps_per_s = LaunchPacer::kGpuStepsPerSecond) {
  Rendered result{{}, std::move(log)};
  GpuLane lane(std::make_unique<ReferenceStream>(result.log, image, capacity),
               std::make_shared<SharedByLanes>(steps_per_s), {});
  result.block.iterations.resize(static_cast<std::size_t>(image.size_px.pixels()) *
                                 base::element_bytes(job::iterations_type(image)));
  result.block.smooth.resize(static_cast<std::size_t>(image.size_px.pixels()));
  result.block.counts = lane.render(
      image, whole(image),
      {result.block.iterations.data(), result.block.smooth.data(), image.size_px.width});
  return result;
}

TEST(GpuLane, takes_a_block_whole_when_there_is_room) {
  const Rendered got = render_with(1000, {});
  EXPECT_TRUE(got.block.same_pixels(truth_of(kImage)));
  EXPECT_EQ(got.log.copies, 2);  // a field each, straight to where it belongs
}

TEST(GpuLane, says_how_much_memory_it_takes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::size_t slots = sizeof(StatsSlots);
  job::ImageSpec image{.size_px = {8192, 8192}, .iterations = 1000};
  const auto bytes = [&](std::int64_t tile_px, bool smooth, std::size_t most_bytes) {
    return GpuLane::memory_bytes(image, {tile_px, tile_px}, {.smooth = smooth}, most_bytes) - slots;
  };
  EXPECT_EQ(bytes(64, false, GpuLane::kMostBytes), kMiB);
  EXPECT_EQ(bytes(1024, false, GpuLane::kMostBytes), 2 * kMiB);
  EXPECT_EQ(bytes(1024, true, GpuLane::kMostBytes), 6 * kMiB);
  EXPECT_EQ(bytes(1024, true, 3 * kMiB), 3 * kMiB);
  EXPECT_EQ(bytes(4096, true, 200 * kMiB), GpuLane::kMostBytes);
  image.iterations = 100'000;
  EXPECT_EQ(bytes(1024, false, GpuLane::kMostBytes), 4 * kMiB);
}

TEST(GpuLane, takes_no_more_memory_than_it_may) {
  Log log;
  const job::ImageSpec image{.size_px = {1024, 1024}, .iterations = 20};
  GpuLane lane(std::make_unique<ReferenceStream>(log, image, std::size_t{1} << 10),
               std::make_shared<SharedByLanes>(), {.shortcuts = false}, std::size_t{1} << 16);
  std::vector<std::uint16_t> pixels(1024 * 1024);
  lane.render(image, {0, 0, 1024, 1024},
              {.iterations = reinterpret_cast<std::byte*>(pixels.data()), .stride_px = 1024});
  EXPECT_EQ(log.launched_px.size(), 32U);  // of 64 KiB, 32 rows of u16
}

TEST(TableTurns, lanes_of_one_image_go_on_together_and_others_wait) {
  TableTurns turns;
  auto first = std::make_unique<TableTurns::Turn>(turns, 7);
  auto second = std::make_unique<TableTurns::Turn>(turns, 7);
  const TableTurns::Turn plain(turns, 0);
  std::atomic<bool> begun = false;
  std::thread other([&] {
    const TableTurns::Turn turn(turns, 8);
    begun = true;
  });
  first.reset();
  EXPECT_FALSE(begun);
  second.reset();
  other.join();
  EXPECT_TRUE(begun);
}

TEST(GpuDevice, helps_with_a_pixel_for_each_thread) {
  const GpuDevice wide({.threads = 100'000}, 1, 0, {}, {});
  EXPECT_EQ(wide.rows_to_help(512), 196);
  const GpuDevice unknown({}, 1, 0, {}, {});
  EXPECT_EQ(unknown.rows_to_help(512), 64);
  EXPECT_EQ(unknown.rows_to_help(1 << 20), 1);
}

TEST(GpuLane, leaves_what_lies_between_the_rows_alone) {
  Log log;
  GpuLane lane(std::make_unique<ReferenceStream>(log, kImage, 1000),
               std::make_shared<SharedByLanes>(), {});
  std::vector<std::byte> iterations(2 * 100 * 70, std::byte{0xAB});
  lane.render(kImage, whole(kImage), {iterations.data(), nullptr, 100});
  const RenderedBlock truth = render_block("reference", kImage, whole(kImage));
  for (std::size_t row = 0; row < 70; ++row) {
    for (std::size_t byte = 0; byte < 200; ++byte) {
      ASSERT_EQ(iterations[row * 200 + byte],
                byte < 180 ? truth.iterations[row * 180 + byte] : std::byte{0xAB});
    }
  }
  EXPECT_EQ(log.copies, 1);  // to a place of its own first
}

TEST(GpuLane, goes_on_in_bands_when_the_device_is_full) {
  const RenderedBlock truth = truth_of(kImage);
  for (const std::size_t room : {0, 1100, 3000, 20000}) {
    const Rendered got = render_with(1000, {.room_bytes = room});
    EXPECT_TRUE(got.block.same_pixels(truth)) << room;
    EXPECT_EQ(got.block.counts.iterations, truth.counts.iterations) << room;
    EXPECT_GT(got.log.copies, 1) << room;
  }
}

TEST(GpuLane, fills_the_planes_of_a_chunk_band_by_band) {
  for (const std::size_t capacity : {700, 5000, 1 << 20}) {
    Log log{.room_bytes = 0};
    GpuLane lane(std::make_unique<ReferenceStream>(log, kImage, capacity),
                 std::make_shared<SharedByLanes>(), {});
    constexpr std::size_t kChunk = 96 * 80;
    std::vector<std::byte> planes(2 * kChunk);
    lane.render(kImage, whole(kImage), {planes.data(), nullptr, 96, kChunk});
    const RenderedBlock truth = render_block("reference", kImage, whole(kImage));
    for (std::size_t row = 0; row < 80; ++row) {
      for (std::size_t column = 0; column < 96; ++column) {
        const bool inside = row < 70 && column < 90;
        const std::size_t pixel = row * 90 + column;
        for (std::size_t b = 0; b < 2; ++b) {
          ASSERT_EQ(planes[b * kChunk + row * 96 + column],
                    inside ? truth.iterations[2 * pixel + b] : std::byte{0});
        }
      }
    }
  }
}

TEST(GpuLane, keeps_launches_short) {
  job::ImageSpec image = kImage;
  image.iterations = 1'000'000;
  image.center_re = 30.0;  // everything escapes at once; nobody knows beforehand
  const Rendered got = render_with(1 << 20, {}, image, 5e8);
  EXPECT_EQ(got.log.launched_px.size(), 9U * 12U);  // groups of 8 x 8
  EXPECT_TRUE(got.block.same_pixels(truth_of(image)));
  EXPECT_EQ(render_with(1 << 20, {}).log.launched_px.size(), 1U);
}

/// All pixels escape: some of them before n = 16, others between 16 and 48.
job::ImageSpec slow_escapes() {
  job::ImageSpec image = kImage;
  image.center_re = 0.0;
  image.center_im = 1.0;
  image.width = 1e-4;
  image.iterations = 4'000'000'000;
  return image;
}

TEST(GpuLane, cuts_long_orbits_and_continues_those_that_are_left) {
  const job::ImageSpec image = slow_escapes();
  const Rendered got = render_with(1000, {}, image, 1e5);  // from 16 iterations a launch on
  const RenderedBlock truth = truth_of(image);
  EXPECT_TRUE(got.block.same_pixels(truth));
  EXPECT_EQ(got.block.counts.iterations, truth.counts.iterations);
  EXPECT_GT(got.log.left.size(), 2U);
  EXPECT_EQ(got.log.left.front(), 0U);
  EXPECT_TRUE(
      std::ranges::is_sorted(got.log.left.begin() + 1, got.log.left.end(), std::ranges::greater()));
  EXPECT_LT(got.log.left.back(), 90U * 70U);
}

TEST(GpuLane, cuts_orbits_though_there_is_little_room) {
  const job::ImageSpec image = slow_escapes();
  const RenderedBlock truth = truth_of(image);
  constexpr std::size_t kRow = 90 * 8;
  constexpr std::size_t kTwoOrbits = 2 * sizeof(kernels::TsOrbit);
  for (const std::size_t orbits : {64, 65, 90, 91, 200, 1000}) {
    const Rendered got = render_with(kRow + orbits * kTwoOrbits, {.room_bytes = 0}, image, 1e6);
    EXPECT_TRUE(got.block.same_pixels(truth)) << orbits;
    EXPECT_EQ(got.block.counts.iterations, truth.counts.iterations) << orbits;
  }
  EXPECT_THROW(render_with(kRow + 63 * kTwoOrbits, {.room_bytes = 0}, image), DeviceError);
}

/// Buffers in which the block is the upper left part.
struct Planes {
  std::vector<std::byte> iterations = std::vector<std::byte>(2 * 96 * 80, std::byte{0xAB});
  std::vector<float> smooth = std::vector<float>(96 * 80, 7.0F);
};

TEST(GpuLane, launches_nothing_for_a_block_of_one_proven_count) {
  job::ImageSpec image = kImage;
  image.center_re = -0.1;
  image.width = 0.1;
  const Rendered got = render_with(1000, {}, image);
  const RenderedBlock truth = truth_of(image);
  EXPECT_TRUE(got.block.same_pixels(truth));
  EXPECT_EQ(got.block.counts.iterations, truth.counts.iterations);
  EXPECT_EQ(got.block.counts.executed, 0U);
  EXPECT_TRUE(got.log.launched_px.empty());
}

TEST(GpuLane, launches_everything_if_shortcuts_are_off) {
  job::ImageSpec image = kImage;
  image.center_re = -0.1;
  image.width = 0.1;
  Log log;
  GpuLane lane(std::make_unique<ReferenceStream>(log, image, 1000),
               std::make_shared<SharedByLanes>(), {.shortcuts = false});
  std::vector<std::byte> iterations(2 * 90 * 70);
  lane.render(image, whole(image), {iterations.data(), nullptr, 90});
  EXPECT_EQ(log.launched_px.size(), 1U);
}

/// One value crosses the bus neither for a whole chunk nor for a part of one.
TEST(GpuLane, copies_nothing_of_one_value) {
  job::ImageSpec image = kImage;
  image.center_re = -0.1;
  image.width = 0.1;
  image.iterations = 300;
  Log log;
  GpuLane lane(std::make_unique<ReferenceStream>(log, image, 1 << 20),
               std::make_shared<SharedByLanes>(), {.shortcuts = false});
  Planes planes;
  lane.render(image, whole(image), {planes.iterations.data(), planes.smooth.data(), 96, 96 * 80});
  EXPECT_EQ(log.launched_px.size(), 1U);
  EXPECT_EQ(log.copies, 0);
  const auto* const smooth = reinterpret_cast<const std::byte*>(planes.smooth.data());
  const float value = 300.0F;
  for (std::size_t at = 0; at < std::size_t{96} * 70; ++at) {
    const bool inside = at % 96 < 90;
    for (std::size_t b = 0; b < 2; ++b) {
      const std::byte byte{static_cast<unsigned char>(300 >> (8 * b))};
      ASSERT_EQ(planes.iterations[b * 96 * 80 + at], inside ? byte : std::byte{0}) << at;
    }
    for (std::size_t b = 0; b < sizeof(value); ++b) {
      const std::byte byte = std::as_bytes(std::span(&value, 1))[b];
      ASSERT_EQ(smooth[b * 96 * 80 + at], inside ? byte : std::byte{0}) << at;
    }
  }
}

TEST(GpuLane, hands_on_the_failure_of_a_kernel) {
  EXPECT_THROW(render_with(1000, {.room_bytes = 0, .fail_at_launch = 2}), DeviceError);
}

TEST(GpuLane, ends_between_two_launches_when_nobody_wants_the_block) {
  Log log;
  const job::ImageSpec image = slow_escapes();
  GpuLane lane(std::make_unique<ReferenceStream>(log, image, std::size_t{1} << 20),
               std::make_shared<SharedByLanes>(1e5), {});
  std::vector<std::byte> pixels(std::size_t{4} * 90 * 70);
  const auto render = [&] {
    return lane.render(image, whole(image), {pixels.data(), nullptr, 90});
  };
  lane.interrupt_when([&] { return log.launched_px.size() == 2; });
  EXPECT_THROW(render(), Interrupted);
  EXPECT_EQ(log.launched_px.size(), 2U);
  lane.interrupt_when({});
  EXPECT_EQ(render().iterations, truth_of(image).counts.iterations);
  EXPECT_EQ(pixels, truth_of(image).iterations);
}

/// Copies when it is awaited, as a device does, and fails at copy number `fail_at_copy`.
class LateStream : public ReferenceStream {
 public:
  LateStream(Log& log, int fail_at_copy, int& in_flight)
      : ReferenceStream(log, kImage, std::size_t{1} << 20),
        log_(log),
        fail_at_copy_(fail_at_copy),
        in_flight_(in_flight) {}
  void copy_out(std::size_t from, std::span<std::byte> to) override {
    if (log_.copies == fail_at_copy_) throw DeviceError("copy from the device: out of luck");
    ReferenceStream::copy_out(from, to);
    ++in_flight_;
  }
  void wait() override { in_flight_ = 0; }

 private:
  Log& log_;
  int fail_at_copy_;
  int& in_flight_;
};

TEST(GpuLane, leaves_no_copy_in_flight_when_a_later_one_fails) {
  std::vector<std::byte> pixels(std::size_t{6} * 96 * 80);
  auto* const smooth = reinterpret_cast<float*>(pixels.data() + std::size_t{2} * 96 * 80);
  for (const std::ptrdiff_t plane : {0, 96 * 80}) {
    Log log;
    int in_flight = 0;
    GpuLane lane(std::make_unique<LateStream>(log, 1, in_flight), std::make_shared<SharedByLanes>(),
                 {});
    EXPECT_THROW(
        lane.render(kImage, whole(kImage), {pixels.data(), smooth, plane == 0 ? 90 : 96, plane}),
        DeviceError);
    EXPECT_EQ(log.copies, 1);
    EXPECT_EQ(in_flight, 0);
  }
}

}  // namespace
}  // namespace tessera::device::gpu
