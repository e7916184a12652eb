// Counts beyond 32 bits: pixels between two bodies of a small copy of the set, whose orbits take
// tens of thousands of its periods to pass.
#include <gtest/gtest.h>

#include "deep/deep_block.hpp"

namespace tessera::deep {
namespace {

constexpr base::ImageSize kSize{std::int64_t{1} << 30, 2147483646};
constexpr std::uint64_t kLimit = 1'000'000'000'000;

/// The centre of a copy of period 86614.
const DeepImage& copy_of_the_set() {
  static const DeepImage image = prepare_image(
      {.center_re =
           "-0.0494700290631040937516922267273536301187457124882249082237749040825"
           "81101840360748036476493582995049896760966605467760313983395359582265120619903591151",
       .center_im =
           "-0.6747875758446753640113920531305976563347707068224034630192761099451"
           "10403970314677767714516646655713070493936798484769529896708585489544428381974760464",
       .width = "2e-60",
       .size_px = kSize,
       .iterations = kLimit,
       .smooth = true});
  return image;
}

struct KnownPixel {
  std::int64_t column, row;
  std::uint64_t count;
};

constexpr KnownPixel kBetweenBodies[] = {{288715129, 1756154276, 4948084563},
                                         {288715130, 1756154272, 4948263574}};

TEST(HighCounts, take_few_steps) {
  for (const KnownPixel& pixel : kBetweenBodies) {
    const DeepBlock block = render_block(copy_of_the_set(), {pixel.column, pixel.row, 1, 1});
    EXPECT_EQ(block.counts.front(), pixel.count);
    EXPECT_NEAR(static_cast<double>(block.smooth.front()), static_cast<double>(pixel.count), 300);
    EXPECT_LT(block.executed, 10'000'000U);
  }
}

/// The tables of both have other jumps.
TEST(HighCounts, are_those_of_the_tiers_with_more_bits) {
  const DeepImage& image = copy_of_the_set();
  const KnownPixel& pixel = kBetweenBodies[0];
  const PreciseTier precise(image, image.precise->table(image), kernels::kPreciseTiers - 1);
  PrecisePixel one = start_pixel(precise, pixel.column, pixel.row);
  ASSERT_EQ(scaled_phase(precise, one), TS_DEEP_SMALL);
  EXPECT_EQ(advance_pixel(precise, one), TS_DEEP_DONE);
  EXPECT_EQ(one.count, pixel.count);
  // Between the bodies it would take 190 bits a hundred million steps.
  const auto inside = image.precise->wide(image)->count(image, kSize.width / 2, kSize.height / 2);
  ASSERT_TRUE(inside.pixel);
  EXPECT_EQ(inside.pixel->count, kLimit);
}

TEST(HighCounts, end_at_the_limit_inside) {
  const DeepImage& image = copy_of_the_set();
  const DeepBlock block = render_block(image, {kSize.width / 2, kSize.height / 2, 2, 1});
  for (const std::uint64_t count : block.counts) EXPECT_EQ(count, kLimit);
  EXPECT_EQ(block.smooth.front(), static_cast<float>(kLimit));
}

}  // namespace
}  // namespace tessera::deep
