// Lanes of the cores that are interrupted.
#include <gtest/gtest.h>

#include <string>

#include "device/cpu/cpu_target.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

/// About two million steps for each pixel, of which none is proven to be inside.
const job::ImageSpec kSlow{-0.75, 1.5e-6, 1e-7, {12, 12}, 3'000'000, 2.0};

TEST(CpuLane, ends_soon_where_nobody_wants_the_pixels) {
  const std::string slowest = "cpu:" + cpu::cpu_targets().back().name;
  for (const std::string& device : {std::string("cpu"), slowest}) {
    const auto lane = device_named(device).open_lane({});
    std::vector<std::byte> counts(12 * 12 * 4);
    const auto render = [&] {
      return lane->render(kSlow, whole(kSlow), {.iterations = counts.data(), .stride_px = 12});
    };
    int asked = 0;
    lane->interrupt_when([&] { return ++asked > 2; });
    EXPECT_THROW(render(), Interrupted);
    EXPECT_LT(asked, 20) << device;
    lane->interrupt_when([&] { return ++asked < 0; });
    EXPECT_LT(std::size_t{2} * 12 * 12, render().iterations);
    EXPECT_EQ(counts, render_block("cpu", kSlow, whole(kSlow)).iterations) << device;
    EXPECT_GT(asked, 3) << device;
  }
}

}  // namespace
}  // namespace tessera::device
