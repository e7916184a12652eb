// The lane that GPUs share, on a stream that renders with the reference: bands, launches, failures.
#include "device/gpu/pixels/gpu_lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "device/gpu/gpu_device.hpp"
#include "tests/device/gpu/reference_stream.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device::gpu {
namespace {

const job::ImageSpec kImage{-0.75, 0.05, 3.0, {90, 70}, 200, 2.0};

struct Rendered {
  RenderedBlock block;
  Log log;
};

/// Counts and smooth values.
RenderedBlock truth_of(const job::ImageSpec& image) {
  RenderedBlock block = render_block("reference", image, whole(image), {true, true});
  for (const job::Field field : job::kMoreFields.subspan<1>()) block[field].clear();
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
  EXPECT_EQ(got.log.launched_px.size(), 5U * 12U);  // groups of 8 x 16
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
