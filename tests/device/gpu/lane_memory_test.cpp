// The memory that lanes of a GPU take for pixels, also beside jump tables that follow each other.
#include <gtest/gtest.h>

#include <list>
#include <thread>
#include <utility>

#include "deep/prepared.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/pixels/deep_block.hpp"
#include "tests/device/gpu/reference_stream.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device::gpu {
namespace {

TEST(LaneMemory, says_how_much_memory_it_takes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::size_t slots = sizeof(StatsSlots);
  job::ImageSpec image{.size_px = {8192, 8192}, .iterations = 1000};
  const auto bytes = [&](std::int64_t tile_px, bool smooth, std::size_t max_bytes) {
    return GpuLane::memory_bytes(image, {tile_px, tile_px}, {.smooth = smooth}, max_bytes) - slots;
  };
  EXPECT_EQ(bytes(64, false, GpuLane::kMaxBytes), kMiB);
  EXPECT_EQ(bytes(1024, false, GpuLane::kMaxBytes), 2 * kMiB);
  EXPECT_EQ(bytes(1024, true, GpuLane::kMaxBytes), 6 * kMiB);
  EXPECT_EQ(bytes(1024, true, 3 * kMiB), 3 * kMiB);
  EXPECT_EQ(bytes(4096, true, 200 * kMiB), GpuLane::kMaxBytes);
  image.iterations = 100'000;
  EXPECT_EQ(bytes(1024, false, GpuLane::kMaxBytes), 4 * kMiB);
}

TEST(LaneMemory, takes_no_more_memory_than_it_may) {
  Log log;
  const job::ImageSpec image{.size_px = {1024, 1024}, .iterations = 20};
  GpuLane lane(std::make_unique<ReferenceStream>(log, image, std::size_t{1} << 10),
               std::make_shared<SharedByLanes>(), {.shortcuts = false}, std::size_t{1} << 16);
  std::vector<std::uint16_t> pixels(1024 * 1024);
  lane.render(image, {0, 0, 1024, 1024},
              {.iterations = reinterpret_cast<std::byte*>(pixels.data()), .stride_px = 1024});
  EXPECT_EQ(log.launched_px.size(), 32U);  // of 64 KiB, 32 rows of u16
}

/// Takes memory as streams of a device with --device-memory do. Launches leave the pixels as they
/// are.
class BudgetedMemory : public ReferenceStream {
 public:
  BudgetedMemory(Log& log, MemoryBudget& budget, std::uint64_t& held, std::size_t& table)
      : ReferenceStream(log, {}, kMinBytes), budget_(budget), held_(held), table_(table) {
    budget_.take(kMinBytes);
  }
  ~BudgetedMemory() override { budget_.give_back(capacity()); }
  BudgetedMemory(const BudgetedMemory&) = delete;
  BudgetedMemory& operator=(const BudgetedMemory&) = delete;

  bool grow(std::size_t bytes) override {
    const std::size_t before = capacity();
    budget_.give_back(before);
    if (!budget_.try_take(bytes)) {
      budget_.take(before);
      return false;
    }
    return ReferenceStream::grow(bytes);
  }
  void launch(const Tile&) override {}
  bool use_deep(std::uint64_t number, std::uint32_t) override { return held_ == number; }
  bool make_deep(std::uint32_t, const kernels::TsDeepImage&, std::size_t bytes) override {
    held_ = 0;
    budget_.give_back(std::exchange(table_, 0));
    if (!budget_.try_take(bytes)) return false;
    table_ = bytes;
    return true;
  }
  void share_deep(std::uint64_t number) override { held_ = number; }

 private:
  MemoryBudget& budget_;
  std::uint64_t& held_;
  std::size_t& table_;
};

/// Lanes of a device with so much memory.
struct LimitedDevice {
  LimitedDevice(std::uint64_t limit_bytes, int lanes)
      : budget("a GPU", limit_bytes), shared(std::make_shared<SharedByLanes>()) {
    shared->memory = divide_memory(limit_bytes, lanes);
    for (int i = 0; i < lanes; ++i) {
      auto stream = std::make_unique<BudgetedMemory>(logs.emplace_back(), budget, held, table);
      streams.push_back(stream.get());
      open.push_back(std::make_unique<GpuLane>(
          std::move(stream), shared, LaneOptions{.shortcuts = false}, shared->memory.buffer_bytes));
    }
  }
  /// Of all of the image, at most 1024 x 1024 pixels.
  void render(std::size_t lane, const job::ImageSpec& image) {
    std::vector<std::byte> counts(static_cast<std::size_t>(image.size_px.pixels()) * 4);
    open[lane]->render(image, whole(image), {counts.data(), nullptr, image.size_px.width});
  }
  /// For pixels, of all lanes.
  std::uint64_t used_bytes() const {
    std::uint64_t bytes = 0;
    for (const BudgetedMemory* stream : streams) bytes += stream->capacity();
    return bytes;
  }

  std::list<Log> logs;
  MemoryBudget budget;
  std::uint64_t held = 0;
  std::size_t table = 0;
  std::shared_ptr<SharedByLanes> shared;
  std::vector<const BudgetedMemory*> streams;
  std::vector<std::unique_ptr<GpuLane>> open;
};

/// Its table grows with the limit: orbits at -0.75 end there.
job::ImageSpec parabolic(std::uint64_t iterations) {
  return {.size_px = {1024, 1024},
          .iterations = iterations,
          .arithmetic = job::Arithmetic::perturbation,
          .place = {.center_re = "-0.75", .center_im = "0", .width = "1e-30"}};
}

std::uint64_t table_of(const job::ImageSpec& image) {
  return table_bytes(*deep::prepared(deep_place(image, {})));
}

constexpr std::uint64_t kLimit = std::uint64_t{16} << 20;

TEST(LaneMemory, makes_room_for_a_second_larger_table) {
  const job::ImageSpec small = parabolic(1000), large = parabolic(200'000);
  ASSERT_LT(table_of(small), std::uint64_t{1} << 20);
  ASSERT_GT(table_of(large), std::uint64_t{4} << 20);
  for (const int lanes : {1, 2}) {
    LimitedDevice device(kLimit, lanes);
    check_table(device.shared->memory, table_of(large));
    const auto each = [&](const job::ImageSpec& image) {
      for (int i = 0; i < lanes; ++i) device.render(static_cast<std::size_t>(i), image);
    };
    each(small);
    EXPECT_GT(device.used_bytes(), kLimit - 2 * table_of(small) - (1 << 16));
    // One lane alone: the others have no work.
    device.render(0, large);
    EXPECT_EQ(device.table, table_of(large));
    EXPECT_LE(device.used_bytes() + device.table, kLimit);
  }
}

TEST(LaneMemory, grows_again_beside_a_smaller_table) {
  const job::ImageSpec small = parabolic(1000), large = parabolic(200'000);
  LimitedDevice device(kLimit, 1);
  device.render(0, large);
  const std::uint64_t beside_large = device.used_bytes();
  EXPECT_LT(beside_large, kLimit - table_of(large));
  device.render(0, small);
  EXPECT_GT(device.used_bytes(), beside_large + (table_of(large) - table_of(small)) / 2);
}

TEST(LaneMemory, waits_for_lanes_that_render_other_images) {
  const job::ImageSpec plain{.size_px = {1024, 1024}, .iterations = 70'000};
  LimitedDevice device(kLimit, 2);
  std::thread other([&] {
    for (int i = 0; i < 4; ++i) device.render(1, plain);
  });
  for (const std::uint64_t iterations : {1000, 200'000, 2000, 150'000}) {
    device.render(0, parabolic(iterations));
    EXPECT_NE(device.held, 0U);
  }
  other.join();
}

}  // namespace
}  // namespace tessera::device::gpu
