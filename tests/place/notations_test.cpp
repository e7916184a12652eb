#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "place/read.hpp"
#include "place/write.hpp"

namespace tessera::place {
namespace {

Place read(std::string_view text, const std::string& entry = "") {
  const auto place = read_text(text, "file", entry);
  EXPECT_TRUE(place) << text;
  return place.value_or(Place());
}

void expect_refused(std::string_view text, const std::string& words) {
  try {
    read_text(text, "file");
    ADD_FAILURE() << text;
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

constexpr std::string_view kKfr = "Re: -1.75\r\nIm: 0.25\r\nZoom: 8\r\nIterations: 500\r\n";

std::string kfr(std::string_view more) {
  return std::string(kKfr) + std::string(more);
}

TEST(KallesFraktaler, has_a_height_and_its_axis_points_down) {
  const Place place = read(kKfr);
  EXPECT_EQ(place.format, "Kalles Fraktaler (.kfr)");
  EXPECT_EQ(place.center_re, "-1.75");
  EXPECT_EQ(place.height, "0.5");
  EXPECT_EQ(place.iterations, "500");
  EXPECT_EQ(place.bailout, "10000");
  EXPECT_EQ(place.matrix, (plane::Matrix{1, 0, 0, -1}));
  EXPECT_TRUE(read(kfr("ImagPointsUp: 1\n")).matrix.is_identity());
}

TEST(KallesFraktaler, formulas_are_known_or_refused) {
  EXPECT_EQ(read(kfr("FractalType: 1\nPower: 2\n")).formula, "burning-ship");
  EXPECT_EQ(read(kfr("FractalType: 4\n")).formula, "tricorn");
  EXPECT_EQ(read(kfr("Power: 5\n")).formula, "multibrot:5");
  expect_refused(kfr("FractalType: 3\n"), "FractalType 3");
  expect_refused(kfr("FractalType: 1\nPower: 3\n"), "Power 3");
  expect_refused(kfr("UseHybridFormula: 1\n"), "UseHybridFormula");
  expect_refused(kfr("SeedR: 0.5\n"), "SeedR");
  expect_refused(kfr("FactorAR: 2\n"), "FactorAR");
  expect_refused(kfr("BailoutNormPreset: 2\n"), "BailoutNormPreset");
}

TEST(KallesFraktaler, bailouts) {
  EXPECT_EQ(read(kfr("SmoothMethod: 1\n")).bailout, "2");
  EXPECT_EQ(read(kfr("BailoutRadiusPreset: 1\n")).bailout, "2");
  EXPECT_EQ(read(kfr("BailoutRadiusPreset: 2\nPower: 4\n")).bailout, "1.2599210498948732");
  EXPECT_EQ(read(kfr("BailoutRadiusPreset: 3\nBailoutRadiusCustom: 50\n")).bailout, "50");
}

TEST(Fraktaler, defaults_transforms_and_programs) {
  const std::string head = "location.real = \"0.5\"\nlocation.imag = \"-0.25\"\n";
  const Place place = read(head);
  EXPECT_EQ(place.height, "4");
  EXPECT_EQ(place.iterations, "1024");
  EXPECT_EQ(place.bailout, "625");
  EXPECT_EQ(place.size, (base::ImageSize{1024, 576}));
  EXPECT_EQ(read(head + "transform.rotate = 90.0\n").matrix, (plane::Matrix{0, -1, 1, 0}));
  EXPECT_EQ(read(head + "transform.reflect = true\ntransform.rotate = 90.0\n").matrix,
            (plane::Matrix{0, -1, -1, 0}));
  EXPECT_EQ(read(head + "transform.stretch_amount = 100\n").matrix, (plane::Matrix{2, 0, 0, 0.5}));
  EXPECT_EQ(read(head + "formula = [{opcodes = \"absx absy sqr add\"}]\n").formula, "burning-ship");
  EXPECT_EQ(read(head + "formula = [{opcodes = \"store sqr mul add\"}]\n").formula, "multibrot:3");
  EXPECT_EQ(read(head + "[[formula]]\npower = 2\nneg_y = true\n").formula, "tricorn");
  expect_refused(head + "formula = [{power = 2}, {power = 3}]\n", "hybrid");
  expect_refused(head + "formula = [{abs_x = true}]\n", "not rendered here");
  expect_refused(head + "transform.exponential_map = true\n", "exponential map");
}

TEST(Imagina, numbers_are_hexadecimal_and_the_size_is_half_the_height) {
  const Place place = read(
      "Formula: Tricorn\nLocation:\n\tRe: -1.8\n\tIm: 0.4\n\tSize: 1.8@-1\n\tIterations: 70\n");
  EXPECT_EQ(place.formula, "tricorn");
  EXPECT_EQ(place.center_re, "-1.5");
  EXPECT_EQ(place.center_im, "0.25");
  EXPECT_EQ(place.height, "0.1875");
  expect_refused("Formula: Nova\nLocation:\n\tRe: 1\n\tIm: 1\n\tSize: 1\n", "Nova");
}

TEST(Imagina, a_binary_that_is_cut_off_is_refused) {
  std::string file("\xff\x49\x4d\x50\x56\x0d\x0a\0", 8);
  file += std::string(8, '\0') + '\x18' + std::string(7, '\0');
  expect_refused(file, "cut off");
  file += std::string(6, '\0') + "\xf0\x7f" + std::string(16, '\0');
  expect_refused(file, "its size is no number");  // infinite
}

TEST(XaoS, shows_a_box_and_its_axis_points_down) {
  const Place place =
      read("(initstate)\n(formula 'mbar)\n(view -0.5 0.25 3 1)\n(bailout 9)\n(angle 90)\n");
  EXPECT_EQ(place.formula, "tricorn");
  EXPECT_EQ(place.bailout, "3");
  EXPECT_EQ(place.iterations, "1000");
  EXPECT_EQ(width_of(place, {400, 100}), "4");
  EXPECT_EQ(width_of(place, {200, 100}), "3");
  EXPECT_EQ(place.matrix, (plane::Matrix{0, -1, -1, 0}));
  EXPECT_EQ(read("(initstate)\n(julia #t)\n(juliaseed 0.5 -0.25)\n(view 0 0 4 4)\n").formula,
            "julia:0.5,-0.25");
  expect_refused("(initstate)\n(formula 'newton)\n(view 0 0 1 1)\n", "'newton");
  expect_refused("(initstate)\n(plane 2)\n(view 0 0 1 1)\n", "plane");
}

constexpr std::string_view kPar =
    "one { ; first\n  type=mandel center-mag=-0.5/+0.25/2 maxiter=77\\\n7 bailout=16\n}\n"
    "two { type=mandel corners=-1/1/-0.75/0.75/-1/-0.75 }\nthree { type=julia }\n";

TEST(Fractint, entries_are_named) {
  const Place one = read(kPar, "ONE");
  EXPECT_EQ(one.center_im, "0.25");
  EXPECT_EQ(one.height, "1");
  EXPECT_EQ(one.iterations, "777");
  EXPECT_EQ(one.bailout, "4");
  EXPECT_TRUE(one.matrix.is_identity());
  EXPECT_EQ(read(kPar, "two").height, "1.5");
  expect_refused(kPar, "one, two, three");
  EXPECT_THROW(read_text(kPar, "file", "three"), base::Error);
}

// Corners have all but the last digits in common; the sides are 4:3 whatever their number.
TEST(Fractint, corners_of_many_digits_have_an_upright_box) {
  for (const std::size_t zeros : {10U, 60U, 75U, 90U, 400U}) {
    const std::string head(zeros, '0');
    const Place place =
        read("a { corners=-1." + head + "4/-1." + head + "0/0." + head + "1/0." + head + "4 }");
    EXPECT_TRUE(place.matrix.is_identity()) << zeros;
    EXPECT_EQ(place.height, fmt::format("3e-{}", zeros + 1));
  }
}

TEST(UltraFractal, other_formulas_and_compressed_sets_are_refused) {
  const std::string head =
      "A {\nfractal:\n  width=800 height=600\nmapping:\n  center=-0.5/0.25 magn=3 angle=5\n"
      "formula:\n  maxiter=250 filename=\"Standard.ufm\" entry=\"Mandelbrot\" p_bailout=64\n  ";
  const Place place = read(head + "p_power=3/0\n}\n");
  EXPECT_EQ(place.formula, "multibrot:3");
  EXPECT_EQ(place.height, "1");
  EXPECT_EQ(place.bailout, "8");
  EXPECT_EQ(place.left_out.size(), 2U);  // the angle, colours
  expect_refused(head + "p_power=2/1\n}\n", "p_power=2/1");
  expect_refused("A {\n::AsDf0gn2d3==\n}\n", "compressed");
}

TEST(Links, of_one_site_are_known) {
  const Place place = read("see https://mandelbrot.site/?re=0.25&im=-0.5&z=4&i=300&e=4");
  EXPECT_EQ(place.formula, "multibrot:4");
  EXPECT_EQ(place.height, "1.40625");  // 720 * 2^-9
  expect_refused("https://example.org/?x=1&y=2&zoom=3", "not known");
}

TEST(FractalShark, lists_places_by_number_or_description) {
  const std::string list =
      "1280 720 -1.75 0.0625 -1.25 0.34375 5000 2 a spiral\n640 480 -2 -1.5 2 1.5 100 1 all of "
      "it\n";
  EXPECT_EQ(read(list, "2").height, "3");
  const Place place = read(list, "a spiral");
  EXPECT_EQ(place.center_re, "-1.5");
  EXPECT_EQ(place.center_im, "0.203125");
  EXPECT_EQ(place.size, (base::ImageSize{1280, 720}));
  EXPECT_EQ(place.iterations, "5000");
  expect_refused(list, "a spiral, all of it");
}

TEST(Posts, are_read_in_several_notations) {
  const Place place = read("Deep one!\nRe(c) = -1.25\nIm(c) = 0.125\nMagnification: 2^10\n");
  EXPECT_EQ(place.center_re, "-1.25");
  EXPECT_EQ(place.height, "0.00390625");
  EXPECT_EQ(place.notes.size(), 1U);
  EXPECT_EQ(read("x=-1.25 y=0.125 radius=0.5").height, "1");
  EXPECT_EQ(read("X: -1.25, Y: 0.125, Width: 1e-3, Iterations: 4,000").width, "1e-3");
  const Place bare = read("Re -1.25\nIm 0.125\nZoom 3.2E18\nIterations 250000\nSize: 1280 x 720");
  EXPECT_EQ(bare.center_re, "-1.25");
  EXPECT_EQ(bare.iterations, "250000");
  EXPECT_EQ(bare.size, (base::ImageSize{1280, 720}));
  EXPECT_EQ(read("c = -1.25 - 0.125i, zoom 4, zoom: 8").center_im, "-0.125");
  EXPECT_EQ(read("Center: (-1.25, 0.125)\nwidth: 0.5").center_re, "-1.25");
  EXPECT_EQ(read("location:\nre: -1.25\nim: 0.125\nwidth: 0.5").center_im, "0.125");
  EXPECT_EQ(read("Burning ship. real: -1.25 imag: 0 zoom: 4").formula, "burning-ship");
  expect_refused("Celtic: real: -1.25 imag: 0 zoom: 4", "celtic");
  expect_refused("real: -1.25 imag: 0 zoom: 4k", "zoom");
  EXPECT_FALSE(read_text("nothing of this kind", "file"));
}

TEST(Written, places_are_read_again) {
  Place place = read(kfr("RotateAngle: -47.25\nStretchAngle: 20.5\nStretchAmount: 0.75\n"));
  for (const char* as : {"kfr", "f3"}) {
    const Place again = read(written(place, as));
    EXPECT_EQ(again.formula, place.formula);
    EXPECT_EQ(again.height, place.height);
    EXPECT_EQ(again.center_re, place.center_re);
    EXPECT_EQ(again.iterations, place.iterations);
    EXPECT_EQ(std::stod(again.bailout), 10000);
    EXPECT_NEAR(again.matrix.a, place.matrix.a, 2e-15);
    EXPECT_NEAR(again.matrix.b, place.matrix.b, 2e-15);
    EXPECT_NEAR(again.matrix.c, place.matrix.c, 2e-15);
    EXPECT_NEAR(again.matrix.d, place.matrix.d, 2e-15);
  }
  place.formula = "julia:0,1";
  EXPECT_THROW(written(place, "kfr"), base::Error);
  EXPECT_THROW(written(place, "xpf"), base::Error);
}

}  // namespace
}  // namespace tessera::place
