// Every device gives the reference's pixels, bit for bit.
#include <gtest/gtest.h>

#include <limits>

#include "parity_devices.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

struct Place {
  const char* name;
  double re, im, width;
  std::uint32_t iterations;
};

constexpr Place kPlaces[] = {
    {"whole_set", -0.75, 0.0, 3.0, 1000},
    {"far_outside", 30.0, 40.0, 100.0, 50},
    {"seahorse", -0.743643887037151, 0.131825904205330, 0.0025, 2000},
    {"elephant", 0.2925, 0.0149, 0.02, 1500},
    {"spirals", -0.761574, -0.0847596, 0.001, 1500},
    {"tip_at_minus_2", -2.0, 0.0, 1e-3, 300},
    {"edge_of_radius_2", -2.0, 0.0, 4e-12, 300},
    {"cusp", 0.25, 0.0, 0.01, 3000},
    {"cardioid_meets_disc", -0.75, 0.0, 0.02, 3000},
    {"period_3_minibrot", -1.7548776662466927, 0.0, 0.05, 1000},
    {"deep", -0.743643887037151, 0.131825904205330, 1e-10, 3000},
    {"all_inside", -0.1, 0.1, 0.1, 5000},
    {"period_3_bulb", -0.1226, 0.7449, 0.1, 2000},
    {"beyond_f64_detail", -0.743643887037151, 0.131825904205330, 1e-15, 3000},
};

struct FormulaPlace {
  std::string formula;
  double re, im, width;
};

/// Places with much of the boundary, or near |c| = 2, and constants of every kind.
const FormulaPlace kFormulaPlaces[] = {
    {"julia:-0.8,0.156", 0.0, 0.0, 3.2},
    {"julia:0,0", 0.0, 0.0, 3.0},
    {"julia:0.25,0", 0.0, 0.0, 2.5},
    {"julia:-1,0", 0.0, 0.0, 3.5},
    {"julia:-2,0", 0.0, 0.0, 4.5},  // a segment; 2 is a fixed point on |z| = 2
    {"julia:-1.9999999999999,0", 0.0, 0.0, 4.1},
    // Orbits on the real axis that leave |z| = 2 and come back.
    {"julia:-2.1,0", 0.0, 0.0, 4.2},
    {"julia:-2.01,0", 0.0, 0.0, 4.01},
    {"julia:-6,0", 0.0, 0.0, 8.0},  // 3 is a fixed point outside |z| = 2
    {"julia:0.3,2.5", 0.0, 0.0, 6.0},
    {"julia:1e50,-1e50", 0.0, 0.0, 1e26},
    {"burning-ship", -0.5, -0.5, 3.5},
    {"burning-ship", -1.755, -0.03, 0.1},
    {"burning-ship", -2.0, 0.0, 4e-12},
    {"tricorn", -0.25, 0.0, 4.5},
    {"tricorn", 1.0, 1.7320508075688772, 1e-11},
    {"multibrot:3", 0.0, 0.0, 3.0},
    {"multibrot:4", 0.0, 0.0, 3.0},
    {"multibrot:5", 0.0, 0.0, 3.0},
    {"multibrot:6", 0.0, 0.0, 3.0},
    {"multibrot:7", 0.0, 0.0, 3.0},
    {"multibrot:8", 0.0, 0.0, 3.0},
};

/// These, and every formula of the table that takes no parameter.
std::vector<FormulaPlace> formula_places() {
  std::vector<FormulaPlace> places(std::begin(kFormulaPlaces), std::end(kFormulaPlaces));
  for (const kernels::FormulaRow& row : kernels::kFormulas) {
    if (row.parameter != kernels::TS_PARAMETER_NONE) continue;
    places.push_back({std::string(row.name), 0.0, 0.0, 4.2});
  }
  return places;
}

job::ImageSpec image_of(const FormulaPlace& place, std::int64_t width, std::int64_t height) {
  return {.center_re = place.re,
          .center_im = place.im,
          .width = place.width,
          .size_px = {width, height},
          .iterations = 500,
          .bailout = 2.0,
          .formula = job::parse_formula(place.formula, "")};
}

job::ImageSpec image_of(const Place& place, std::int64_t width, std::int64_t height) {
  return {place.re, place.im, place.width, {width, height}, place.iterations, 2.0};
}

class Parity : public DeviceTest {
 protected:
  /// Compares both settings of the shortcuts; `smooth` wherever it is allowed.
  void expect_parity(const job::ImageSpec& image, const base::PixelRect& block) {
    const bool smooth = image.bailout >= job::escape_radius(image.formula);
    const RenderedBlock truth = render_block("reference", image, block, {smooth, true});
    for (const bool shortcuts : {true, false}) {
      const RenderedBlock got = render_block(GetParam(), image, block, {smooth, shortcuts});
      EXPECT_TRUE(got.same_pixels(truth)) << "shortcuts " << shortcuts;
      EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
      const RenderedBlock bare = render_block(GetParam(), image, block, {false, shortcuts});
      EXPECT_EQ(bare.iterations, truth.iterations) << "shortcuts " << shortcuts;
    }
  }
};

TEST_P(Parity, EveryPlace) {
  for (const Place& place : kPlaces) {
    SCOPED_TRACE(place.name);
    const job::ImageSpec image = image_of(place, 97, 49);
    expect_parity(image, whole(image));
  }
}

TEST_P(Parity, EveryFormula) {
  for (const FormulaPlace& place : formula_places()) {
    job::ImageSpec image = image_of(place, 97, 49);
    // Where 2 is too little for smooth values, once more with what is just enough.
    for (const double bailout : {2.0, job::escape_radius(image.formula)}) {
      SCOPED_TRACE(::testing::Message() << place.formula << ", R " << bailout);
      image.bailout = bailout;
      expect_parity(image, whole(image));
    }
  }
}

TEST_P(Parity, EveryFormulaWithEveryLimitAndBailout) {
  for (const FormulaPlace& place : formula_places()) {
    for (const std::uint32_t limit : {1U, 2U, 16U, 17U, 18U, 33U, 100U}) {
      for (const double bailout : {0.5, 2.0, 2.5, 4.0, 256.0, 300.0, 1e39, 1e75, 1e76, 1e100}) {
        SCOPED_TRACE(::testing::Message() << place.formula << ", N " << limit << ", R " << bailout);
        job::ImageSpec image = image_of(place, 37, 11);
        image.iterations = limit;
        image.bailout = bailout;
        expect_parity(image, whole(image));
      }
    }
  }
}

TEST_P(Parity, EveryFormulaFarOutside) {
  for (const FormulaPlace& place : formula_places()) {
    for (const double width : {100.0, 1e20, 1e60, 1e100}) {
      SCOPED_TRACE(::testing::Message() << place.formula << ", width " << width);
      job::ImageSpec image = image_of(place, 33, 9);
      image.width = width;
      expect_parity(image, whole(image));
      image.bailout = 1e60;
      expect_parity(image, whole(image));
    }
  }
}

TEST_P(Parity, EveryFormulaInSubBlocks) {
  for (const FormulaPlace& place : formula_places()) {
    SCOPED_TRACE(place.formula);
    const job::ImageSpec image = image_of(place, 5001, 4999);
    expect_parity(image, {2391, 2203, 129, 7});
    expect_parity(image, {1777, 3001, 1, 1});
  }
}

TEST_P(Parity, OddSizes) {
  constexpr std::int64_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {513, 3}, {129, 65}, {5000, 2}};
  for (const auto& [width, height] : sizes) {
    SCOPED_TRACE(::testing::Message() << width << "x" << height);
    const job::ImageSpec image{-0.75, 0.05, 3.0, {width, height}, 300, 2.0};
    expect_parity(image, whole(image));
  }
}

TEST_P(Parity, RealAxisExactlyHit) {
  // An odd number of rows puts the middle one on im = 0.
  const job::ImageSpec image{-0.75, 0.0, 3.0, {601, 3}, 5000, 2.0};
  expect_parity(image, {0, 1, 601, 1});
}

TEST_P(Parity, SubBlocksOfALargeImage) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {1 << 20, 1 << 20}, 500, 2.0};
  for (const base::PixelRect& block :
       {base::PixelRect{300001, 500003, 97, 11}, base::PixelRect{(1 << 20) - 65, 0, 65, 33},
        base::PixelRect{0, (1 << 20) - 1, 200, 1}, base::PixelRect{262100, 524200, 64, 64}}) {
    SCOPED_TRACE(::testing::Message() << block.x << "," << block.y);
    expect_parity(image, block);
  }
}

TEST_P(Parity, EachFieldAlone) {
  for (const FormulaPlace& place : formula_places()) {
    job::ImageSpec image{place.re, place.im, place.width, {37, 23}, 300, 2.0};
    image.formula = job::parse_formula(place.formula, "formula");
    image.bailout = std::max(2.0, job::escape_radius(image.formula));
    for (const job::Field& field : job::kMoreFields) {
      const RenderOptions options{.smooth = true, .fields = std::span(&field, 1)};
      const RenderedBlock truth = render_block("reference", image, whole(image), options);
      EXPECT_TRUE(render_block(GetParam(), image, whole(image), options).same_pixels(truth))
          << place.formula << " " << job::field_name(field);
    }
  }
}

TEST_P(Parity, TilesJoinToTheWholeImage) {
  const job::ImageSpec image{-0.7436, 0.1318, 0.01, {150, 90}, 700, 2.0};
  const RenderedBlock all = render_block(GetParam(), image, whole(image), {true, true});
  const auto lane = device_named(GetParam()).open_lane({});
  RenderedBlock tiled;
  tiled.iterations.resize(all.iterations.size());
  for (const job::Field field : job::kMoreFields) tiled[field].resize(all[field].size());
  for (std::int64_t y = 0; y < 90; y += 37) {
    for (std::int64_t x = 0; x < 150; x += 41) {
      const base::PixelRect tile{x, y, std::min<std::int64_t>(41, 150 - x),
                                 std::min<std::int64_t>(37, 90 - y)};
      const auto first = static_cast<std::size_t>(y * 150 + x);
      lane->render(image, tile, buffers_of(tiled, 150, first, 2));
    }
  }
  EXPECT_TRUE(tiled.same_pixels(all));
}

TEST_P(Parity, TheDerivativesTestOfTheInterior) {
  for (const std::string_view formula : {"mandelbrot", "julia:-0.4,0.59", "burning-ship", "tricorn",
                                         "multibrot:3", "multibrot:4", "julia:-70000,0"}) {
    for (const std::uint32_t limit : {1U, 16U, 17U, 32U, 33U, 34U, 48U, 49U, 500U, 70'000U}) {
      for (const double bailout : {1.5, 2.0, 300.0, 1e80}) {
        SCOPED_TRACE(::testing::Message() << formula << ", N " << limit << ", R " << bailout);
        job::ImageSpec image{-0.5, 0.1, 3.0, {37, 23}, limit, bailout};
        image.formula = job::parse_formula(formula, "formula");
        image.interior = job::Interior::derivative;
        if (limit > 500) image.size_px = {11, 7};
        expect_parity(image, whole(image));
      }
    }
  }
}

TEST_P(Parity, EveryLimitAndBailout) {
  for (const std::uint32_t limit : {1U, 2U, 3U, 15U, 16U, 17U, 18U, 32U, 33U, 34U, 100U, 1000U}) {
    for (const double bailout : {0.5, 1.5, 2.0, 2.5, 4.0, 256.0, 300.0, 1e80}) {
      SCOPED_TRACE(::testing::Message() << "N " << limit << ", R " << bailout);
      const job::ImageSpec image{-0.75, 0.1, 3.0, {61, 23}, limit, bailout};
      expect_parity(image, whole(image));
    }
  }
}

TEST_P(Parity, CountsBeyond16Bits) {
  const job::ImageSpec inside{-0.75, 0.1, 2.0, {19, 11}, 70000, 2.0};
  expect_parity(inside, whole(inside));
  // Around the tip of the cusp counts go up as pi / sqrt(c - 1/4).
  const job::ImageSpec slow{0.2500000015, 0.0, 2e-9, {23, 5}, 100000, 2.0};
  expect_parity(slow, whole(slow));
}

TEST_P(Parity, LargestLimitWhereEverythingEscapesOrIsSettledAtOnce) {
  const std::uint32_t largest = std::numeric_limits<std::uint32_t>::max() - 1;
  const job::ImageSpec outside{1.0, 1.0, 0.5, {40, 20}, largest, 2.0};
  expect_parity(outside, whole(outside));
  const job::ImageSpec inside{-0.1, 0.1, 0.1, {40, 20}, largest, 2.0};
  const RenderedBlock got = render_block(GetParam(), inside, whole(inside), {true, true});
  EXPECT_EQ(got.counts.iterations, std::uint64_t{largest} * 800);
  for (const float value : got.smooth) EXPECT_EQ(value, static_cast<float>(largest));
}

TEST_P(Parity, ShortcutsSaveSteps) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {200, 200}, 1000, 2.0};
  const RenderedBlock fast = render_block(GetParam(), image, whole(image), {false, true});
  const RenderedBlock plain = render_block(GetParam(), image, whole(image), {false, false});
  EXPECT_LT(fast.counts.executed, plain.counts.executed / 4);
  EXPECT_GE(plain.counts.executed, plain.counts.iterations * 99 / 100);
  EXPECT_LT(plain.counts.executed, plain.counts.iterations * 5 / 4);
}

TEST_P(Parity, StrideLeavesOtherPixelsAlone) {
  const job::ImageSpec image{-0.75, 0.0, 3.0, {33, 5}, 100, 2.0};
  std::vector<std::uint16_t> iterations(5 * 40, 0xABCD);
  std::vector<float> smooth(5 * 40, -7.0F);
  device_named(GetParam())
      .open_lane({})
      ->render(image, whole(image),
               {reinterpret_cast<std::byte*>(iterations.data()), smooth.data(), 40});
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_LE(iterations[row * 40 + 32], 100);
    for (std::size_t column = 33; column < 40; ++column) {
      EXPECT_EQ(iterations[row * 40 + column], 0xABCD);
      EXPECT_EQ(smooth[row * 40 + column], -7.0F);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Parity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
