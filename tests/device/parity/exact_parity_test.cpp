// Every device gives the reference's pixels of wide images with exact arithmetic, bit for bit, and
// leaves as many counts open in f64.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "device/select/registry.hpp"
#include "job/image/options.hpp"
#include "parity_devices.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

struct ExactPlace {
  const char* formula;
  const char* center;
  const char* width;
  const char* iterations = "300";
};

/// Edges, the real axis, and regions of which f64 leaves many counts open.
constexpr ExactPlace kExactPlaces[] = {
    {"mandelbrot", "-0.75,0", "3"},
    {"mandelbrot", "-0.743643887037151,0.13182590420533", "0.0025", "1500"},
    {"mandelbrot", "-1.999,0", "0.002"},
    {"mandelbrot", "30,40", "100"},
    {"julia:-0.8,0.156", "0.1,0.2", "0.1", "1000"},
    {"julia:0.3,2.5", "0,0", "6"},
    {"burning-ship", "-1.755,-0.03", "0.1"},
    {"tricorn", "-1.755,0", "0.08"},
    {"multibrot:3", "0.058,1.152", "0.1"},
    {"multibrot:8", "0,0", "3"},
};

job::ImageSpec exact_image_of(const ExactPlace& place, const std::string& size,
                              const std::vector<job::Given>& more = {}) {
  std::vector<job::Given> given = {{"formula", place.formula, ""},
                                   {"center", place.center, ""},
                                   {"width", place.width, ""},
                                   {"iterations", place.iterations, ""},
                                   {"size", size, ""},
                                   {"arithmetic", "exact", ""}};
  given.insert(given.end(), more.begin(), more.end());
  return job::make_render_job(given).image;
}

/// Without fields that need z_m, pixels are begun again in the middle of their orbits.
const std::span<const job::Field> kSomeFields[] = {
    {}, job::kMoreFields.first(1), job::kMoreFields.last(1), job::kMoreFields};

class ExactParity : public DeviceTest {
 protected:
  void expect_parity(const job::ImageSpec& image, const base::PixelRect& block) {
    ASSERT_TRUE(image.bounded());
    const bool fields = image.bailout >= job::escape_radius(image.formula);
    for (const bool all : {fields, false}) {
      const RenderedBlock truth = render_block("reference", image, block, {all, false});
      for (const bool shortcuts : {true, false}) {
        SCOPED_TRACE(::testing::Message() << "fields " << all << ", shortcuts " << shortcuts);
        const RenderedBlock got = render_block(GetParam(), image, block, {all, shortcuts});
        EXPECT_TRUE(got.same_pixels(truth));
        EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
        EXPECT_LE(got.counts.uncertain, truth.counts.uncertain);
        // Shortcuts leave fewer open.
        EXPECT_TRUE(shortcuts || got.counts.uncertain == truth.counts.uncertain);
      }
    }
  }
};

TEST_P(ExactParity, EveryPlace) {
  for (const ExactPlace& place : kExactPlaces) {
    SCOPED_TRACE(::testing::Message() << place.formula << " at " << place.center);
    const job::ImageSpec image = exact_image_of(place, "97x49");
    expect_parity(image, whole(image));
  }
}

TEST_P(ExactParity, EveryLimit) {
  for (const char* const formula : {"mandelbrot", "julia:-0.8,0.156", "multibrot:3"}) {
    for (const char* const limit : {"1", "2", "3", "16", "17", "18", "33", "100"}) {
      for (const char* const bailout : {"0.7", "1", "1.5", "2", "2.5", "300", "1e9"}) {
        SCOPED_TRACE(::testing::Message() << formula << ", N " << limit << ", R " << bailout);
        const job::ImageSpec image =
            exact_image_of({formula, "0,0", "4.2", limit}, "37x11", {{"bailout", bailout, ""}});
        expect_parity(image, whole(image));
      }
    }
  }
}

TEST_P(ExactParity, SubBlocksOfATurnedPlane) {
  const std::vector<job::Given> turned = {{"rotate", "30", ""}, {"stretch", "2@10", ""}};
  for (const ExactPlace& place : kExactPlaces) {
    SCOPED_TRACE(::testing::Message() << place.formula << " at " << place.center);
    const job::ImageSpec image = exact_image_of(place, "5001x4999", turned);
    expect_parity(image, {2391, 2203, 129, 7});
    expect_parity(image, {1777, 3001, 1, 1});
  }
}

/// What f64 leaves open, with the vectors of the cores: bands of a block, rows longer than a band.
TEST_P(ExactParity, OpenPixelsByCores) {
  constexpr ExactPlace kOpen[] = {
      {"mandelbrot", "-0.743643887037151,0.13182590420533", "0.0025", "1500"},
      {"burning-ship", "-1.7551,-0.0261", "0.02", "200"}};
  for (const auto& [place, size] :
       {std::pair(kOpen[0], "150x100"), {kOpen[0], "9000x9000"}, {kOpen[1], "150x100"}}) {
    const job::ImageSpec image = exact_image_of(place, size);
    const base::PixelRect block =
        image.size_px.width < 1000 ? whole(image) : base::PixelRect{100, 4500, 8500, 2};
    for (const std::span<const job::Field> fields : kSomeFields) {
      RenderOptions options{.smooth = !fields.empty(), .shortcuts = false, .fields = fields};
      const RenderedBlock truth = render_block("reference", image, block, options);
      ASSERT_GT(truth.counts.uncertain, 50U);
      options.finish = fastest_finish();
      options.shortcuts = true;
      const RenderedBlock got = render_block(GetParam(), image, block, options);
      EXPECT_TRUE(got.same_pixels(truth)) << place.formula << " " << size << " " << fields.size();
      EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
      EXPECT_EQ(got.counts.uncertain_with_more, truth.counts.uncertain_with_more);
    }
  }
}

/// A GPU follows open pixels of a block with 106 bits, if there are enough of them.
TEST_P(ExactParity, OpenPixelsByTheDevice) {
  const bool is_gpu = !GetParam().starts_with("cpu");
  for (const ExactPlace& place :
       {ExactPlace{"mandelbrot", "-0.743643887037151,0.13182590420533", "0.0025", "1500"},
        {"julia:-0.8,0.156", "0.1,0.2", "0.05", "1000"},
        {"burning-ship", "-1.7551,-0.0261", "0.02", "200"},
        {"multibrot:3", "0.3848,0.6666", "0.002", "1000"}}) {
    const job::ImageSpec image = exact_image_of(place, "240x160", {{"rotate", "10", ""}});
    for (const std::span<const job::Field> fields : kSomeFields) {
      SCOPED_TRACE(::testing::Message() << place.formula << " with " << fields.size() << " fields");
      const RenderOptions options{.smooth = !fields.empty(), .shortcuts = false, .fields = fields};
      const RenderedBlock truth = render_block("reference", image, whole(image), options);
      ASSERT_GE(truth.counts.uncertain, 256U);
      const RenderedBlock got = render_block(GetParam(), image, whole(image), options);
      EXPECT_TRUE(got.same_pixels(truth));
      EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
      EXPECT_EQ(got.counts.uncertain, truth.counts.uncertain);
      EXPECT_EQ(got.counts.uncertain_with_more, truth.counts.uncertain_with_more);
      EXPECT_EQ(got.counts.uncertain_on_gpu > 0, is_gpu);
      EXPECT_LE(got.counts.uncertain_on_gpu + got.counts.uncertain_with_more,
                truth.counts.uncertain);
    }
  }
}

/// The cores follow those whose orbits may be longer than a launch.
TEST_P(ExactParity, OpenPixelsOfLongOrbits) {
  const bool is_gpu = !GetParam().starts_with("cpu");
  for (const auto& [limit, on_gpu] : {std::pair("65536", is_gpu), {"65537", false}}) {
    const ExactPlace place{"mandelbrot", "-0.743643887037151,0.13182590420533", "0.0005", limit};
    const job::ImageSpec image = exact_image_of(place, "120x80");
    const RenderedBlock truth = render_block("reference", image, whole(image), {false, true});
    ASSERT_GE(truth.counts.uncertain, 256U);
    const RenderedBlock got = render_block(GetParam(), image, whole(image), {false, true});
    EXPECT_TRUE(got.same_pixels(truth));
    EXPECT_EQ(got.counts.uncertain_on_gpu > 0, on_gpu);
  }
}

/// Launches leave orbits of so many iterations, and continue them: 160,000 steps, and the distance.
TEST_P(ExactParity, OrbitsThatAreCut) {
  const ExactPlace place{"mandelbrot", "-0.75,0.00002", "4e-6", "2000000"};
  const job::ImageSpec image = exact_image_of(place, "6x4");
  const RenderedBlock truth = render_block("reference", image, whole(image), {true, true});
  const RenderedBlock got = render_block(GetParam(), image, whole(image), {true, true});
  EXPECT_TRUE(got.same_pixels(truth));
  EXPECT_EQ(got.counts.uncertain, truth.counts.uncertain);
}

INSTANTIATE_TEST_SUITE_P(Devices, ExactParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
