// How deep f64 reaches.
#include "job/image/resolution.hpp"

#include <cmath>
#include <cstdlib>

#include "base/decimal.hpp"
#include "given.hpp"
#include "job/image/coloring.hpp"

namespace tessera::job {

namespace {

double column_re(const ImageSpec& image, std::int64_t column) {
  const double offset =
      static_cast<double>(column) + 0.5 - static_cast<double>(image.size_px.width) / 2;
  return std::fma(offset, image.step(), image.center_re);
}

double row_im(const ImageSpec& image, std::int64_t row) {
  const double offset =
      static_cast<double>(image.size_px.height) / 2 - (static_cast<double>(row) + 0.5);
  return std::fma(offset, image.step(), image.center_im);
}

bool all_differ(const ImageSpec& image) {
  for (std::int64_t x = 1; x < image.size_px.width; ++x) {
    if (column_re(image, x) == column_re(image, x - 1)) return false;
  }
  for (std::int64_t y = 1; y < image.size_px.height; ++y) {
    if (row_im(image, y) == row_im(image, y - 1)) return false;
  }
  return true;
}

}  // namespace

TEST(Resolution, is_refused_with_the_width_from_which_on_it_works) {
  expect_error(base::ExitCode::usage,
               {"--width 1e-18: too deep for 64-bit floats at this centre; with 3840 pixels a row "
                "the width must be at least 8.6e-13"},
               [] {
                 job_of({{"center", "-1.5,0"},
                         {"width", "1e-18"},
                         {"size", "3840x2160"},
                         {"arithmetic", "plain"}});
               });
}

TEST(Resolution, blames_what_was_given) {
  expect_error(base::ExitCode::usage, {"--size 2000000000x2000000000: too deep"}, [] {
    job_of({{"view", "deep-spiral"}, {"size", "2000000000x2000000000"}, {"arithmetic", "plain"}});
  });
  expect_error(base::ExitCode::usage, {"--center 1e50,0: too deep", "at least"}, [] {
    job_of({{"center", "1e50,0"}});
  });
}

TEST(Resolution, tells_a_width_that_is_enough_and_hardly_more_than_that) {
  for (const double re : {0.0, -0.75, -1.5, -1.9999999999999999, 1e-3, 1e50, 1e100}) {
    for (const std::int64_t side : {1, 2, 7, 3840, 2147483647}) {
      ImageSpec image{.center_re = re, .center_im = 0.1, .width = 1e-290, .size_px = {side, 5}};
      const std::string text = min_width(image);
      image.width = std::strtod(text.c_str(), nullptr);
      EXPECT_TRUE(distinguishes_pixels(image)) << re << " " << side << " " << text;
      image.width *= 0.8;
      EXPECT_FALSE(distinguishes_pixels(image)) << re << " " << side << " " << text;
    }
  }
}

TEST(Resolution, beyond_f64_equalizes_pictures_unless_colours_are_given) {
  const auto equalized = [](std::string_view view, const Given& color) {
    std::vector<Given> all = given({{"view", view}, {"png", "p.png"}});
    all.push_back(color);
    return make_render_job(all).equalize;
  };
  for (const bool deep : {false, true}) {
    const std::string_view view = deep ? "e50" : "elephant";
    EXPECT_EQ(equalized(view, {"palette", "ember", "--palette"}), deep);
    EXPECT_FALSE(equalized(view, {"palette-cycle", "2", "--palette-cycle"}));
    EXPECT_TRUE(equalized(view, {"equalize", "true", "--equalize"}));
    EXPECT_FALSE(equalized(view, {"equalize", "false", "a.toml:1: equalize"}));
  }
}

TEST(Coloring, is_settled_once) {
  Coloring open;
  settle_colors(open, true);
  EXPECT_TRUE(open.equalize);
  settle_colors(open, false);
  EXPECT_TRUE(open.equalize);
}

TEST(Resolution, that_is_accepted_gives_every_column_and_row_its_own_coordinate) {
  for (const double re : {-1.5, 0.3, -0.7436438870371587, 1e7}) {
    ImageSpec image{.center_re = re, .center_im = -re, .width = 1e-30, .size_px = {501, 500}};
    image.width = std::strtod(min_width(image).c_str(), nullptr);
    EXPECT_TRUE(all_differ(image)) << re;
  }
}

TEST(Resolution, of_exactly_one_spacing_is_not_enough) {
  // Half steps fall on ties there, which round to even: columns coincide in pairs.
  const ImageSpec image{
      .center_re = -1.5, .center_im = -1.5, .width = 64 * 0x1p-52, .size_px = {64, 64}};
  EXPECT_FALSE(all_differ(image));
  EXPECT_FALSE(distinguishes_pixels(image));
}

TEST(Resolution, judges_both_axes) {
  ImageSpec image{.center_re = 0, .center_im = 0, .width = 1e-13, .size_px = {1000, 1000}};
  EXPECT_TRUE(distinguishes_pixels(image));
  image.center_im = 1;
  EXPECT_FALSE(distinguishes_pixels(image));
}

TEST(Arithmetic, is_decided_by_the_distance_of_pixels) {
  const auto decided = [](std::string_view width, std::string_view formula) {
    const RenderJob job = job_of(
        {{"center", "0.25,0"}, {"width", width}, {"formula", formula}, {"size", "1024x1024"}});
    EXPECT_FALSE(job.arithmetic_auto);
    return job.image.arithmetic;
  };
  // 2^-22, and the next decimal below it.
  EXPECT_EQ(decided("2.384185791015625e-7", "mandelbrot"), Arithmetic::plain);
  EXPECT_EQ(decided("2.384185791015624e-7", "mandelbrot"), Arithmetic::perturbation);
  EXPECT_EQ(decided("2.384185791015625e-7", "multibrot:3"), Arithmetic::plain);
  EXPECT_EQ(decided("2.384185791015624e-7", "multibrot:3"), Arithmetic::perturbation);
  expect_error(base::ExitCode::usage, {"--width", "1e-290"}, [] {
    job_of({{"center", "0,0"}, {"width", "1e-300"}, {"arithmetic", "plain"}});
  });
}

TEST(Arithmetic, that_is_plain_has_no_uncertain_pixels) {
  EXPECT_FALSE(job_of({{"arithmetic", "perturbation"}, {"exact", "off"}}).image.exact);
  for (const std::string_view arithmetic : {"auto", "plain"}) {
    expect_error(base::ExitCode::usage, {"--exact", "perturbation"}, [&] {
      job_of({{"arithmetic", arithmetic}, {"exact", "off"}});
    });
  }
}

TEST(Arithmetic, takes_the_derivatives_test_by_perturbation_for_the_mandelbrot_set_alone) {
  const auto job = [](std::string_view formula, std::string_view option, std::string_view value) {
    return job_of({{"formula", formula}, {"arithmetic", "perturbation"}, {option, value}});
  };
  EXPECT_TRUE(job("mandelbrot", "fields", "distance").image.deep());
  EXPECT_TRUE(job("mandelbrot", "interior", "derivative").image.deep());
  for (const std::string_view formula : {"julia:0,1", "multibrot:3", "burning-ship", "tricorn"}) {
    EXPECT_TRUE(job(formula, "fields", "distance").image.deep());
    expect_error(base::ExitCode::usage, {"--interior", std::string(formula), "take proven"},
                 [&] { job(formula, "interior", "derivative"); });
  }
}

TEST(Arithmetic, keeps_the_decimals_of_a_deep_place) {
  const std::string digits(1000, '7');
  const RenderJob job = job_of({{"center", "-0." + digits + ", 0.2500"}, {"width", "10e-1000"}});
  EXPECT_TRUE(job.image.deep());
  EXPECT_EQ(job.image.place, (DecimalPlace{"-" + digits + "e-1000", "25e-2", "1e-999"}));
  EXPECT_EQ(job.image.width, 0);
  EXPECT_EQ(rounded_center(job), "");
  EXPECT_EQ(make_render_job(given({{"center", job.center_text}, {"width", job.width_text}})).image,
            job.image);
}

TEST(Arithmetic, with_too_few_digits_is_refused_unless_the_number_looks_exact) {
  const auto at = [](std::string_view center, std::string_view width) {
    return job_of({{"center", center}, {"width", width}});
  };
  at("-1.7500001,0", "1e-50");  // 8 digits
  expect_error(base::ExitCode::usage, {"8 decimal places"}, [&] { at("-1.75000001,0", "1e-50"); });
  at("-1.234567890,0", "1e-9");
  at("-1.2345678900000000000000,0", "1e-22");
  at("-1.7,1.23456789e-20", "1e-28");
  expect_error(base::ExitCode::usage,
               {"--center: its real part has 9 decimal places, and a width of 1e-10 needs 10",
                "give more digits, or zeros for an exact number"},
               [&] { at("-1.234567890,0", "1e-10"); });
  expect_error(base::ExitCode::usage, {"imaginary part has 10 decimal places", "needs 50"},
               [&] { at("-1.75,0.1234567891", "2e-50"); });
  job_of({{"center", "-1.234567890,0"}, {"width", "1e-10"}, {"arithmetic", "plain"}});
}

TEST(Zoom, is_another_word_for_the_width) {
  const auto width = [](std::string_view zoom) {
    return job_of({{"center", "0,0"}, {"zoom", zoom}}).width_text;
  };
  EXPECT_EQ(base::normalized_decimal(width("1")), "4e0");
  EXPECT_EQ(base::normalized_decimal(width("5.00E113")), "8e-114");
  EXPECT_EQ(base::normalized_decimal(width("3.2")), "125e-2");
  EXPECT_EQ(base::normalized_decimal(width("1e1000")), "4e-1000");
  // 4 / 3e20 with 40 digits.
  EXPECT_EQ(base::normalized_decimal(width("3e20")), "1" + std::string(39, '3') + "e-59");
  EXPECT_EQ(base::normalized_decimal(width("1.23456789012345678")).find('e'), 40u);
  expect_error(base::ExitCode::usage, {"18 digits"}, [&] { width("1.234567890123456789"); });
  expect_error(base::ExitCode::usage, {"--zoom: --width says it too; take one of the two"}, [] {
    job_of({{"center", "0,0"}, {"width", "4"}, {"zoom", "1"}});
  });
}

}  // namespace tessera::job
