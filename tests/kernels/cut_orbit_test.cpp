// Orbits that are cut and continued end with the values, and after the steps, of whole ones.
#include <gtest/gtest.h>

#include <bit>

#include "kernels/pixel/scalar.hpp"

namespace tessera::kernels {
namespace {

TsPixel in_cuts(int formula, double re, double im, const TsOrbitLimits& limits, TS_U32 cut,
                int& launches) {
  TsOrbit orbit;
  TsPixel pixel;
  bool done = ts_begin(formula, re, im, limits, &orbit, &pixel) != 0;
  TS_U64 executed = 0;
  for (launches = 1; !done; ++launches) {
    done = ts_advance(formula, re, im, limits, orbit.n + (cut - 1), &orbit, &pixel) != 0;
    executed += pixel.executed;
    EXPECT_TRUE(done || pixel.executed <= cut + 15);
  }
  pixel.distance = pixel.gradient_x = pixel.gradient_y = pixel.phase = 0;
  if ((limits.flags & TS_MEASURES) != 0 && pixel.iterations != limits.limit) {
    ts_begin_measure(formula, re, im, limits.step, &orbit);
    for (done = false; !done; ++launches) {
      done = ts_measure(formula, re, im, limits, orbit.n + (cut - 1), &orbit, &pixel) != 0;
      executed += pixel.executed;
      EXPECT_LE(pixel.executed, cut);
    }
  }
  pixel.executed = executed;
  return pixel;
}

/// Pixels that escape at once, late, near |z| = 2 and never, and cycles that are found.
constexpr double kPoints[][2] = {{3.0, 1.0},   {0.2501, 0.0}, {-0.75, 0.003}, {-2.0, 0.0},
                                 {-1.7549, 0}, {-0.1, 0.7},   {0.0, 1.0},     {0.3, 0.2},
                                 {2.0, 1e-14}, {-1.5, 0.0},   {0.26, 0.0016}, {-2.5, 0.0}};

void expect_same(int formula, int degree, const TsOrbitLimits& base) {
  TsOrbitLimits limits = base;
  limits.degree = degree;
  for (const auto& [re, im] : kPoints) {
    const TsPixel whole = ts_orbit(formula, re, im, limits);
    for (const TS_U32 cut : {16U, 48U, 1024U}) {
      int launches = 0;
      const TsPixel cuts = in_cuts(formula, re, im, limits, cut, launches);
      ASSERT_EQ(cuts.iterations, whole.iterations) << formula << " " << re << " " << im;
      ASSERT_EQ(cuts.executed, whole.executed) << formula << " " << re << " " << im;
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.smooth), std::bit_cast<TS_U32>(whole.smooth));
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.fraction), std::bit_cast<TS_U32>(whole.fraction));
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.distance), std::bit_cast<TS_U32>(whole.distance));
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.gradient_x), std::bit_cast<TS_U32>(whole.gradient_x));
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.gradient_y), std::bit_cast<TS_U32>(whole.gradient_y));
      ASSERT_EQ(std::bit_cast<TS_U32>(cuts.phase), std::bit_cast<TS_U32>(whole.phase));
      ASSERT_GE(TS_U64{cut} * static_cast<unsigned>(launches) + 32, whole.executed);
    }
  }
}

TEST(CutOrbit, IsTheWholeOrbit) {
  for (int formula = 0; formula < TS_FORMULA_COUNT; ++formula) {
    const bool degrees =
        kFormulas[static_cast<std::size_t>(formula)].parameter == TS_PARAMETER_DEGREE;
    for (const TS_U32 limit : {1U, 17U, 100U, 3000U}) {
      for (const double bailout : {1.5, 2.0, 256.0, 300.0, 1e80}) {
        for (const TS_U32 flags :
             {0U, TS_SHORTCUTS, TS_SMOOTH, TS_FRACTION, TS_DISTANCE, TS_ANGLE, TS_MEASURES,
              TS_INTERIOR | TS_SHORTCUTS, TS_SHORTCUTS | TS_SMOOTH | TS_DISTANCE | TS_INTERIOR}) {
          if (bailout < 2 && (flags & (TS_FINDS_M | TS_MEASURES)) != 0) continue;
          const bool careful = bailout < 2 || bailout > 1e75;
          expect_same(formula, degrees ? 5 : 2,
                      {.bailout2 = bailout * bailout,
                       .constant_re = -0.39,
                       .constant_im = 0.587,
                       .limit = limit,
                       .flags = flags | (careful ? TS_CAREFUL : 0U),
                       .step = 0x1p-10});
        }
      }
    }
  }
}

/// The first point beyond 256 is found long before the first one beyond R, and is not forgotten.
TEST(CutOrbit, RemembersWhereItPassedTheSmoothRadius) {
  expect_same(
      TS_FORMULA_julia, 2,
      {.bailout2 = 1e10, .constant_re = -66000.0, .limit = 400, .flags = TS_SMOOTH | TS_CAREFUL});
}

}  // namespace
}  // namespace tessera::kernels
