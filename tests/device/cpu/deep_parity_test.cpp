// Blocks of a deep image have the same bits with each instruction set, and in parts.
#include <gtest/gtest.h>

#include "deep/deep_block.hpp"
#include "device/cpu/cpu_target.hpp"

namespace tessera::device::cpu {
namespace {

struct Case {
  const char* name;
  deep::Place place;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const deep::Formula kShip{kernels::TS_FORMULA_burning_ship, 2, {}, {}};
const deep::Formula kTricorn{kernels::TS_FORMULA_tricorn, 2, {}, {}};
const deep::Formula kCubes{kernels::TS_FORMULA_multibrot, 3, {}, {}};
const deep::Formula kFourthPowers{kernels::TS_FORMULA_multibrot, 4, {}, {}};
const deep::Formula kEighthPowers{kernels::TS_FORMULA_multibrot, 8, {}, {}};
const deep::Formula kJulia{kernels::TS_FORMULA_julia, 2, "-0.8", "0.156"};
const deep::Formula kJuliaOfI{kernels::TS_FORMULA_julia, 2, "0", "1"};

// Near the real axis' tip, in a spiral at 1e-50 where pixels rebase, and with a reference that is
// the orbit of a centre inside.
const Case kCases[] = {
    {"needle",
     {"-1.759817130804847813610825010561798238243999999999999999999800",
      "-0.012593310799749865383746631843264858450340000000000000000000",
      "4e-14",
      {61, 37},
      4036,
      2,
      false}},
    {"spiral",
     {"-0."
      "04947002906310409375169222672735363011874571248822487931810494023264219477268690342799154997"
      "47594190",
      "-0."
      "67478757584467536401139205313059765633477070682240348069799979479099419834548451115142084995"
      "40310299",
      "4e-50",
      {24, 18},
      263010,
      1000,
      true}},
    {"inside", {"-1", "0", "1e-20", {16, 16}, 5000, 2, true}},
    // Pixels that f64 leaves uncertain.
    {"wiki", {"-0.743643887037151", "0.131825904205330", "3.85e-11", {48, 32}, 14000, 2, true}},
    {"edge", {"-0.75", "1e-12", "1e-11", {33, 19}, 3000, 4, false}},
    {"ship", {"-1.755", "-0.026", "0.13", {61, 37}, 400, 2, true, true, false, false, kShip}},
    {"ship_at_a_fold", {"-2", "0", "1e-30", {21, 17}, 2000, 4, true, true, false, false, kShip}},
    {"ship_far_below",
     {"-2", "1e-350", "1e-340", {13, 9}, 3000, 2, true, false, false, false, kShip}},
    {"tricorn", {"-1.755", "0", "0.08", {61, 37}, 800, 2, true, true, false, false, kTricorn}},
    {"tricorn_deep", {"-2", "0", "1e-100", {21, 17}, 2000, 2, true, false, false, false, kTricorn}},
    {"cubes", {"0.058", "1.152", "0.1", {61, 37}, 800, 2, true, true, false, false, kCubes}},
    // Roots of c^(d-1) = -2 lead to fixed points.
    {"fourth_powers",
     {"-1.2599210498948731647672106072782283505702514647015079800819751121552996",
      "0",
      "1e-60",
      {21, 17},
      2000,
      2,
      true,
      true,
      false,
      false,
      kFourthPowers}},
    {"eighth_powers",
     {"-1.1040895136738123376495053876233447213253266007801241655145324641421063",
      "0",
      "1e-25",
      {21, 17},
      2000,
      2,
      true,
      true,
      false,
      false,
      kEighthPowers}},
    {"julia", {"0", "0", "3.4", {61, 37}, 800, 2, true, true, false, false, kJulia}},
    {"julia_at_0", {"0", "0", "1e-30", {21, 17}, 3000, 2, true, true, false, false, kJuliaOfI}},
    {"julia_far_below",
     {"0", "1", "1e-100", {21, 17}, 3000, 300, true, false, false, false, kJuliaOfI}},
    {"julia_outside", {"2", "0", "1e-20", {21, 17}, 300, 2, true, true, false, false, kJulia}},
};

class DeepParity : public testing::TestWithParam<Case> {};

TEST_P(DeepParity, of_every_instruction_set) {
  deep::Place place = GetParam().place;
  place.smooth = true;
  place.distance = true;
  const deep::DeepImage image = deep::prepare_image(place);
  const base::PixelRect all{0, 0, place.size_px.width, place.size_px.height};
  const deep::DeepBlock wanted = deep::render_block(image, all);
  for (const CpuTarget& target : cpu_targets()) {
    const deep::DeepBlock block = deep::render_block(image, all, target.pixels.advance_deep);
    EXPECT_EQ(block.counts, wanted.counts) << target.name;
    EXPECT_EQ(block.smooth, wanted.smooth) << target.name;
    EXPECT_EQ(block.distance, wanted.distance) << target.name;
    EXPECT_EQ(block.fraction, wanted.fraction) << target.name;
    EXPECT_EQ(block.gradient_x, wanted.gradient_x) << target.name;
    EXPECT_EQ(block.gradient_y, wanted.gradient_y) << target.name;
    EXPECT_EQ(block.phase, wanted.phase) << target.name;
    EXPECT_EQ(block.executed, wanted.executed) << target.name;
    EXPECT_EQ(block.uncertain, wanted.uncertain) << target.name;
  }
  if (std::string(GetParam().name) == "wiki") {
    EXPECT_GT(wanted.uncertain, 0u);
  }
}

TEST_P(DeepParity, of_the_derivatives_test) {
  deep::Place place = GetParam().place;
  if (!place.formula.is_mandelbrot()) GTEST_SKIP() << "refused for this formula";
  place.derivative_interior = true;
  const deep::DeepImage image = deep::prepare_image(place);
  const base::PixelRect all{0, 0, place.size_px.width, place.size_px.height};
  const deep::DeepBlock wanted = deep::render_block(image, all);
  for (const CpuTarget& target : cpu_targets()) {
    const deep::DeepBlock block = deep::render_block(image, all, target.pixels.advance_deep);
    EXPECT_EQ(block.counts, wanted.counts) << target.name;
    EXPECT_EQ(block.executed, wanted.executed) << target.name;
  }
}

TEST_P(DeepParity, of_parts) {
  deep::Place place = GetParam().place;
  place.smooth = true;
  place.distance = true;
  const deep::DeepImage image = deep::prepare_image(place);
  const deep::DeepBlock wanted =
      deep::render_block(image, {0, 0, place.size_px.width, place.size_px.height});
  const base::PixelRect part{5, 3, std::min<std::int64_t>(9, place.size_px.width - 5),
                             std::min<std::int64_t>(7, place.size_px.height - 3)};
  const deep::DeepBlock block =
      deep::render_block(image, part, cpu_targets().front().pixels.advance_deep);
  for (std::int64_t y = 0; y < part.height; ++y) {
    for (std::int64_t x = 0; x < part.width; ++x) {
      const auto at = static_cast<std::size_t>((part.y + y) * place.size_px.width + part.x + x);
      EXPECT_EQ(block.counts[static_cast<std::size_t>(y * part.width + x)], wanted.counts[at])
          << x << ", " << y;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, DeepParity, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera::device::cpu
