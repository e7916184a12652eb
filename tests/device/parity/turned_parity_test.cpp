// Pictures that are turned, stretched or mirrored have the reference's pixels on every device.
#include <gtest/gtest.h>

#include <array>

#include "parity_devices.hpp"
#include "plane/matrix.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

const std::array<plane::Matrix, 4>& matrices() {
  static const std::array<plane::Matrix, 4> all = {
      plane::rounded(plane::rotation(90.0)), plane::rounded(plane::rotation(-117.3)),
      plane::rounded(plane::diagonal(1, -1)),
      plane::rounded(plane::rotation(30.0) * plane::stretch(-35.0, 8.0) * plane::diagonal(1, -1))};
  return all;
}

class TurnedParity : public DeviceTest {
 protected:
  void expect_same(job::ImageSpec image) {
    for (const plane::Matrix& matrix : matrices()) {
      image.matrix = matrix;
      for (const bool smooth : {false, true}) {
        const RenderedBlock truth =
            render_block("reference", image, whole(image), {.smooth = smooth});
        const RenderedBlock got = render_block(GetParam(), image, whole(image), {.smooth = smooth});
        EXPECT_TRUE(got.same_pixels(truth)) << plane::text_of(matrix);
        EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
      }
    }
  }
};

TEST_P(TurnedParity, of_plain_images) {
  for (const char* const formula :
       {"mandelbrot", "julia:-0.8,0.156", "burning-ship", "tricorn", "multibrot:3"}) {
    expect_same({.center_re = -0.5,
                 .center_im = 0.25,
                 .width = 2.5,
                 .size_px = {35, 19},
                 .iterations = 200,
                 .formula = job::parse_formula(formula, "")});
  }
}

TEST_P(TurnedParity, of_deep_images) {
  for (const auto& [formula, re, im, width] :
       {std::array{"mandelbrot", "-0.743643887037151", "0.131825904205330", "3.85e-11"},
        {"mandelbrot", "-2", "0", "3e-400"},
        {"burning-ship", "-2", "1e-21", "3e-20"},
        {"tricorn", "-2", "0", "3e-60"},
        {"julia:0,1", "0", "1", "1e-12"}}) {
    expect_same({.size_px = {11, 7},
                 .iterations = 1500,
                 .formula = job::parse_formula(formula, ""),
                 .arithmetic = job::Arithmetic::perturbation,
                 .place = {.center_re = re, .center_im = im, .width = width}});
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TurnedParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
