// Counts of deep places against counts by MPFR.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "deep/deep_block.hpp"

namespace tessera::deep {
namespace {

struct TruePoint {
  std::int64_t column, row_from_bottom;
  std::int64_t count_2, count_625;
};

struct TruePlace {
  Place place;
  std::vector<TruePoint> points;
};

std::string width_of(const std::string& zoom) {
  BigReal width("4", 128);
  mpfr_div(width.get(), width.get(), BigReal(zoom, 128).get(), MPFR_RNDN);
  char text[80];
  mpfr_snprintf(text, sizeof text, "%.40Re", width.get());
  return text;
}

TruePlace read_place(const std::string& name) {
  std::ifstream file(std::string(TRUTH_FOLDER) + "/" + name + ".txt");
  TruePlace place;
  place.place.size_px = {512, 512};
  std::map<std::string, std::string> keys;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (line.starts_with('#')) continue;
    if (std::isdigit(static_cast<unsigned char>(line.front())) != 0) {
      TruePoint point{};
      words >> point.column >> point.row_from_bottom >> point.count_2 >> point.count_625;
      place.points.push_back(point);
    } else {
      std::string key;
      words >> key >> keys[key];
    }
  }
  place.place.center_re = keys["re"];
  place.place.center_im = keys["im"];
  place.place.width = width_of(keys["zoom"]);
  place.place.iterations = static_cast<std::uint32_t>(std::stoul(keys["iterations"]));
  return place;
}

class TrueCounts : public testing::TestWithParam<std::tuple<const char*, double>> {};

TEST_P(TrueCounts, of_every_pixel) {
  const auto [name, bailout] = GetParam();
  TruePlace truth = read_place(name);
  ASSERT_EQ(truth.points.size(), 64u);
  truth.place.bailout = bailout;
  const DeepImage image = prepare_image(truth.place);
  std::uint64_t uncertain = 0;
  for (const TruePoint& point : truth.points) {
    const DeepBlock pixel = render_block(image, {point.column, 511 - point.row_from_bottom, 1, 1});
    const std::int64_t wanted = bailout == 2 ? point.count_2 : point.count_625;
    EXPECT_EQ(pixel.counts.front(), wanted < 0 ? truth.place.iterations : wanted)
        << point.column << ", " << point.row_from_bottom;
    uncertain += pixel.uncertain;
  }
  EXPECT_LE(uncertain, 4);
}

TEST(UncertainPixels, are_stored_as_f64_has_them_if_the_image_is_not_exact) {
  Place place = read_place("wiki14").place;
  place.size_px = {64, 64};
  const base::PixelRect all{0, 0, 64, 64};
  const DeepBlock exact = render_block(prepare_image(place), all);
  for (const bool smooth : {false, true}) {
    place.exact = false;
    place.smooth = smooth;
    const DeepBlock quick = render_block(prepare_image(place), all);
    EXPECT_EQ(quick.uncertain, exact.uncertain);
    EXPECT_GT(quick.uncertain, 0U);
    EXPECT_LT(quick.executed, exact.executed);
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < quick.counts.size(); ++i) {
      differ += quick.counts[i] == exact.counts[i] ? 0 : 1;
    }
    EXPECT_LE(differ, quick.uncertain);
  }
}

/// The orbit of -2 stays on the circle of radius 2, that of i comes to the one of radius 1: tiny
/// differences decide.
TEST(ReferencesOnTheCircle, leave_the_count_to_the_definition) {
  for (const std::string width : {"3e-12", "3e-20", "3e-80", "3e-400"}) {
    for (const auto& [re, im, bailout] : {std::tuple("-2", "0", 2.0), {"0", "1", 1.0}}) {
      const Place place{.center_re = re,
                        .center_im = im,
                        .width = width,
                        .size_px = {7, 6},
                        .iterations = 2000,
                        .bailout = bailout};
      const DeepBlock block = render_block(prepare_image(place), {0, 0, 7, 6});
      for (std::size_t i = 0; i < block.counts.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        EXPECT_EQ(block.counts[i], pixel_by_definition(place, at % 7, at / 7).count)
            << re << " " << width << " " << i;
      }
    }
  }
}

/// Its difference from the reference is 0 at every step.
TEST(CentrePixel, of_an_image_with_odd_sides_has_its_smooth_value) {
  for (const double bailout : {1.0, 2.0, 625.0}) {
    Place place = read_place("e113").place;
    place.size_px = {3, 3};
    place.bailout = bailout;
    place.smooth = true;
    const DeepBlock block = render_block(prepare_image(place), {1, 1, 1, 1});
    const CountedPixel defined = pixel_by_definition(place, 1, 1);
    EXPECT_EQ(block.counts.front(), defined.count);
    EXPECT_FLOAT_EQ(block.smooth.front(),
                    static_cast<float>(kernels::ts_smooth_of(
                        2, static_cast<double>(defined.smooth_m), defined.smooth_radius2)));
  }
}

INSTANTIATE_TEST_SUITE_P(Places, TrueCounts,
                         testing::Combine(testing::Values("wiki14", "e14", "e50", "e113", "e533"),
                                          testing::Values(2.0, 625.0)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) == 2 ? "_2" : "_625");
                         });

}  // namespace
}  // namespace tessera::deep
