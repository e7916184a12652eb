#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kernels/pixel/scalar.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

TEST(Smooth, Log2StaysWithinItsBound) {
  double worst = 0;
  for (double v = 1.0; v < 1e300; v *= 1.000917) {
    worst = std::max(worst, std::abs(kernels::ts_log2(v) - std::log2(v)));
  }
  for (double v = 1.0; v < 4.0; v += 1e-5) {
    worst = std::max(worst, std::abs(kernels::ts_log2(v) - std::log2(v)));
  }
  EXPECT_LT(worst, 2.4e-9);
  EXPECT_GT(worst, 1e-9);  // the bound in docs/numerics.md is not an idle one
}

TEST(Smooth, F64ValueIsWithin1e8OfTheFormula) {
  for (double radius = 256.0001; radius < 70000; radius *= 1.0003) {
    const double want = 7 + 1 - std::log2(std::log(radius) / std::log(256.0));
    EXPECT_NEAR(kernels::ts_smooth(7, radius * radius), want, 1e-8);
  }
}

TEST(Smooth, F64ValueOfEveryDegreeIsWithin1e8OfTheFormula) {
  for (int degree = 2; degree <= 8; ++degree) {
    for (double radius = 256.0001; radius < 1e20; radius *= 1.01) {
      const double want = 7 + 1 - std::log(std::log(radius) / std::log(256.0)) / std::log(degree);
      EXPECT_NEAR(kernels::ts_smooth_of(degree, 7, radius * radius), want, 1e-8) << degree;
    }
  }
}

TEST(Smooth, ReferenceFollowsTheFormulaOnARealOrbit) {
  const job::ImageSpec image{0.5, 0.5, 0.25, {8, 8}, 100, 2.0};
  const RenderedBlock got = render_block("reference", image, whole(image), {true, true});
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const std::complex<double> c(0.5 + (column - 3.5) * 0.25 / 8, 0.5 + (3.5 - row) * 0.25 / 8);
      std::complex<double> z = 0;
      int m = 0;
      for (; std::abs(z) <= 256; ++m) z = z * z + c;
      const double want = m + 1 - std::log2(std::log(std::abs(z)) / std::log(256.0));
      EXPECT_NEAR(got.smooth[static_cast<std::size_t>(row * 8 + column)], want, 1e-5);
    }
  }
}

TEST(Smooth, PixelsThatNeverStopHaveN) {
  const job::ImageSpec image{-0.1, 0.0, 0.1, {4, 4}, 50, 2.0};
  for (const char* device : {"reference", "cpu"}) {
    for (const float value : render_block(device, image, whole(image), {true, true}).smooth) {
      EXPECT_EQ(value, 50.0F) << device;
    }
  }
}

}  // namespace
}  // namespace tessera::device
