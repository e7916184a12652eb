// The field `distance` of plain images against the slope of the potential.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

using Complex = std::complex<double>;

job::ImageSpec one_pixel(const char* formula, Complex at, double width) {
  return {.center_re = at.real(),
          .center_im = at.imag(),
          .width = width,
          .size_px = {1, 1},
          .iterations = 5000,
          .bailout = 4,
          .formula = job::parse_formula(formula, "formula")};
}

/// In the plane.
double distance_at(const std::string& device, const char* formula, Complex at) {
  constexpr double kStep = 0x1p-20;
  const job::ImageSpec image = one_pixel(formula, at, kStep);
  return kStep * render_block(device, image, whole(image), {.smooth = true}).distance.front();
}

/// ln of the potential, up to a constant: smooth = n + const - log_d(ln|z_n|), so that it is
/// -smooth ln d. Smooth values as f32 would be too coarse.
double log_potential(const char* formula, Complex at) {
  const job::Formula parsed = job::parse_formula(formula, "formula");
  const bool julia = parsed.id == kernels::TS_FORMULA_julia;
  const Complex c = julia ? Complex(parsed.constant_re, parsed.constant_im) : at;
  Complex z = at;
  int m = 0;
  for (; std::abs(z) < 1e8; ++m) {
    if (parsed.id == kernels::TS_FORMULA_burning_ship) {
      z = {std::fabs(z.real()), std::fabs(z.imag())};
    }
    if (parsed.id == kernels::TS_FORMULA_tricorn) z = std::conj(z);
    Complex power = z;
    for (int i = 1; i < parsed.degree; ++i) power *= z;
    z = power + c;
  }
  return std::log(std::log(std::abs(z))) - m * std::log(static_cast<double>(parsed.degree));
}

double by_differences(const char* formula, Complex at) {
  constexpr double kStep = 1e-6;
  const auto slope = [&](Complex direction) {
    return (log_potential(formula, at + kStep * direction) -
            log_potential(formula, at - kStep * direction)) /
           (2 * kStep);
  };
  return 1 / std::hypot(slope(1), slope({0, 1}));
}

class Distance : public testing::TestWithParam<const char*> {};

TEST_P(Distance, is_the_potential_over_its_slope) {
  const char* const formula = GetParam();
  int outside = 0;
  for (const double radius : {0.6, 0.9, 1.3, 1.9, 3.0}) {
    for (double angle = 0.1; angle < 6.28; angle += 0.47) {
      const Complex at = std::polar(radius, angle);
      const double got = distance_at("cpu", formula, at);
      if (got < 1e-3) continue;
      ++outside;
      EXPECT_NEAR(got / by_differences(formula, at), 1, 2e-4) << at;
    }
  }
  EXPECT_GT(outside, 20);
}

INSTANTIATE_TEST_SUITE_P(Formulas, Distance,
                         testing::Values("mandelbrot", "julia:-0.8,0.156", "burning-ship",
                                         "tricorn", "multibrot:3", "multibrot:4", "multibrot:5",
                                         "multibrot:6", "multibrot:7", "multibrot:8"));

/// The Julia set of 0 is the unit circle, and z_n = z^(2^n).
TEST(DistanceField, of_a_circle_is_known) {
  for (const double x : {1.001, 1.25, 2.0, 17.0, 300.0}) {
    for (const char* device : {"reference", "cpu"}) {
      EXPECT_NEAR(distance_at(device, "julia:0,0", {x, 0}) / (x * std::log(x)), 1, 1e-6);
    }
  }
}

TEST(DistanceField, is_0_inside_and_infinite_at_a_critical_point_outside) {
  EXPECT_EQ(distance_at("cpu", "mandelbrot", {-0.1, 0.1}), 0);
  EXPECT_TRUE(std::isinf(distance_at("cpu", "julia:1,1", {0, 0})));
}

TEST(DistanceField, is_the_same_without_smooth_values) {
  const job::ImageSpec image{-0.75, 0.1, 3.0, {61, 23}, 300, 2.0};
  for (const char* device : {"reference", "cpu"}) {
    const RenderedBlock both = render_block(device, image, whole(image), {.smooth = true});
    std::vector<float> distance(both.distance.size());
    std::vector<std::byte> counts(both.iterations.size());
    device_named(device).open_lane({})->render(
        image, whole(image),
        {.iterations = counts.data(), .stride_px = 61, .distance = distance.data()});
    EXPECT_EQ(distance, both.distance) << device;
    EXPECT_EQ(counts, both.iterations) << device;
  }
}

}  // namespace
}  // namespace tessera::device
