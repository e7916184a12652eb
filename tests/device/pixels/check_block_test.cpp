#include "device/pixels/check_block.hpp"

#include <gtest/gtest.h>

#include <array>

#include "../render_block.hpp"
#include "base/error.hpp"

namespace tessera::device {
namespace {

class Request : public ::testing::TestWithParam<const char*> {};

TEST_P(Request, BlockOutsideTheImageIsRefused) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {64, 64}, 10, 2.0};
  EXPECT_THROW(render_block(GetParam(), image, {60, 0, 5, 1}), base::Error);
  EXPECT_THROW(render_block(GetParam(), image, {0, 64, 1, 1}), base::Error);
  EXPECT_THROW(render_block(GetParam(), image, {-1, 0, 4, 4}), base::Error);
  EXPECT_THROW(render_block(GetParam(), image, {0, 0, 0, 4}), base::Error);
}

TEST_P(Request, SmoothBelowBailout2IsRefused) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {8, 8}, 10, 1.5};
  EXPECT_THROW(render_block(GetParam(), image, whole(image), {true, true}), base::Error);
  EXPECT_NO_THROW(render_block(GetParam(), image, whole(image), {false, true}));
}

TEST_P(Request, BuffersTooNarrowAreRefused) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {8, 8}, 10, 2.0};
  std::array<std::byte, 128> bytes{};
  const auto lane = open_devices(GetParam(), {.threads = 1}).front()->open_lane({});
  EXPECT_THROW(lane->render(image, whole(image), {bytes.data(), nullptr, 7}), base::Error);
  EXPECT_THROW(lane->render(image, whole(image), {nullptr, nullptr, 8}), base::Error);
}

TEST_P(Request, CountsAreTheSumOfTheStoredOnes) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {77, 33}, 200, 2.0};
  const RenderedBlock got = render_block(GetParam(), image, whole(image));
  std::vector<std::uint16_t> stored(77 * 33);
  std::memcpy(stored.data(), got.iterations.data(), got.iterations.size());
  std::uint64_t sum = 0;
  for (const std::uint16_t count : stored) sum += count;
  EXPECT_EQ(got.counts.iterations, sum);
  EXPECT_GT(got.counts.executed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Devices, Request, ::testing::Values("reference", "cpu"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tessera::device
