// Counts of wide images with exact arithmetic against those of a plain loop with MPFR, whose
// numbers have more bits than an orbit can lose.
//
// usage: exact_counts_test [--seed N] [--places N] [GoogleTest options]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "deep/big_real.hpp"
#include "device/cpu/cpu_target.hpp"
#include "job/image/options.hpp"
#include "tests/deep/seeds.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

using deep::BigReal;

struct View {
  const char* formula;
  std::string center, width;
  std::string size = "40x30";
  std::string iterations = "300";
  std::string bailout = "2";
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's
void PrintTo(const View& view, std::ostream* out) {
  *out << view.formula << " at " << view.center << " width " << view.width << " iterations "
       << view.iterations << " bailout " << view.bailout;
}

job::ImageSpec image_of(const View& view, const std::string& arithmetic = "exact") {
  const std::vector<job::Given> given = {
      {"formula", view.formula, "formula"}, {"center", view.center, "center"},
      {"width", view.width, "width"},       {"size", view.size, "size"},
      {"iterations", view.iterations, ""},  {"bailout", view.bailout, "bailout"},
      {"arithmetic", arithmetic, ""}};
  return job::make_render_job(given).image;
}

struct BigPoint {
  BigReal re, im;
};

/// A loop as docs/formulas.md defines it.
class Oracle {
 public:
  explicit Oracle(const job::ImageSpec& image)
      : image_(image), bits_(bits_of(image)), t_(bits_), u_(bits_), v_(bits_) {}

  std::uint64_t count(std::int64_t column, std::int64_t row) {
    const double right = static_cast<double>(2 * column + 1 - image_.size_px.width) / 2;
    const double up = static_cast<double>(image_.size_px.height - 2 * row - 1) / 2;
    const BigPoint at{coordinate(image_.place.center_re, right),
                      coordinate(image_.place.center_im, up)};
    const bool julia = image_.formula.id == kernels::TS_FORMULA_julia;
    const BigPoint c = julia ? BigPoint{BigReal(image_.formula.constant_re_text, bits_),
                                        BigReal(image_.formula.constant_im_text, bits_)}
                             : at;
    BigPoint z = julia ? at : BigPoint{BigReal(bits_), BigReal(bits_)};
    for (std::uint64_t n = 0; n < image_.iterations; ++n) {
      if (is_beyond(z)) return n;
      step(z, c);
    }
    return image_.iterations;
  }

 private:
  static std::int64_t bits_of(const job::ImageSpec& image) {
    const std::uint64_t lost = image.iterations * (image.formula.degree > 2 ? 3 : 5) / 4;
    return 256 + static_cast<std::int64_t>(std::min<std::uint64_t>(lost, 6000));
  }

  BigReal coordinate(const std::string& center, double offset) const {
    BigReal sum(image_.place.width, bits_);
    mpfr_div_ui(sum.get(), sum.get(), static_cast<unsigned long>(image_.size_px.width), MPFR_RNDN);
    mpfr_mul_d(sum.get(), sum.get(), offset, MPFR_RNDN);
    const BigReal of(center, bits_);
    mpfr_add(sum.get(), sum.get(), of.get(), MPFR_RNDN);
    return sum;
  }

  bool is_beyond(const BigPoint& z) {
    mpfr_sqr(t_.get(), z.re.get(), MPFR_RNDN);
    mpfr_sqr(u_.get(), z.im.get(), MPFR_RNDN);
    mpfr_add(t_.get(), t_.get(), u_.get(), MPFR_RNDN);
    return mpfr_cmp_d(t_.get(), image_.bailout * image_.bailout) > 0;
  }

  void times(BigPoint& w, const BigPoint& z) {
    mpfr_mul(t_.get(), w.re.get(), z.re.get(), MPFR_RNDN);
    mpfr_mul(v_.get(), w.im.get(), z.im.get(), MPFR_RNDN);
    mpfr_sub(t_.get(), t_.get(), v_.get(), MPFR_RNDN);
    mpfr_mul(u_.get(), w.re.get(), z.im.get(), MPFR_RNDN);
    mpfr_mul(v_.get(), w.im.get(), z.re.get(), MPFR_RNDN);
    mpfr_add(u_.get(), u_.get(), v_.get(), MPFR_RNDN);
    mpfr_swap(w.re.get(), t_.get());
    mpfr_swap(w.im.get(), u_.get());
  }

  void step(BigPoint& z, const BigPoint& c) {
    if (image_.formula.id == kernels::TS_FORMULA_burning_ship) {
      mpfr_abs(z.re.get(), z.re.get(), MPFR_RNDN);
      mpfr_abs(z.im.get(), z.im.get(), MPFR_RNDN);
    }
    if (image_.formula.id == kernels::TS_FORMULA_tricorn) {
      mpfr_neg(z.im.get(), z.im.get(), MPFR_RNDN);
    }
    const BigPoint base = z;
    for (int i = 1; i < image_.formula.degree; ++i) times(z, base);
    mpfr_add(z.re.get(), z.re.get(), c.re.get(), MPFR_RNDN);
    mpfr_add(z.im.get(), z.im.get(), c.im.get(), MPFR_RNDN);
  }

  const job::ImageSpec& image_;
  std::int64_t bits_;
  BigReal t_, u_, v_;
};

std::uint64_t count_of(const RenderedBlock& block, const job::ImageSpec& image, std::size_t at) {
  const std::size_t bytes = base::element_bytes(job::iterations_type(image));
  std::uint64_t count = 0;
  std::memcpy(&count, block.iterations.data() + at * bytes, bytes);
  return count;
}

struct Compared {
  std::uint64_t pixels = 0, wrong = 0, plain_wrong = 0, open = 0;
};

Compared compare(const View& view) {
  const job::ImageSpec image = image_of(view);
  const job::ImageSpec rounded = image_of(view, "plain");
  EXPECT_TRUE(image.bounded());
  const RenderedBlock exact = render_block("cpu", image, whole(image), {.smooth = false});
  const RenderedBlock plain = render_block("cpu", rounded, whole(rounded), {.smooth = false});
  Oracle oracle(image);
  Compared compared{.open = exact.counts.uncertain};
  for (std::int64_t row = 0; row < image.size_px.height; ++row) {
    for (std::int64_t column = 0; column < image.size_px.width; ++column) {
      const auto at = static_cast<std::size_t>(row * image.size_px.width + column);
      const std::uint64_t count = oracle.count(column, row);
      const std::uint64_t got = count_of(exact, image, at);
      if (got != count && compared.wrong == 0) {
        ADD_FAILURE() << "column " << column << " row " << row << ": " << got << ", MPFR " << count;
      }
      ++compared.pixels;
      compared.wrong += got != count ? 1 : 0;
      compared.plain_wrong += count_of(plain, rounded, at) != count ? 1 : 0;
    }
  }
  EXPECT_EQ(compared.wrong, 0U);
  return compared;
}

class ExactCounts : public testing::TestWithParam<View> {};

TEST_P(ExactCounts, are_the_counts_of_mpfr) {
  compare(GetParam());
}

/// Wide views of all formulas, edges, needles and axes, every limit and bailout.
INSTANTIATE_TEST_SUITE_P(
    Views, ExactCounts,
    testing::Values(View{"mandelbrot", "-0.75,0", "3"}, View{"mandelbrot", "-0.75,0", "3", "40x31"},
                    View{"mandelbrot", "0,0", "8"},
                    View{"mandelbrot", "-2,0", "1e-5", "41x31", "600"},
                    View{"mandelbrot", "-1.999,0", "0.002", "41x31", "500"},
                    View{"mandelbrot", "0.25,0", "1e-6", "7x5", "2000"},
                    View{"mandelbrot", "-0.75,0", "1e-5", "7x5", "1500"},
                    View{"mandelbrot", "0,1", "1e-5", "31x21", "400"},
                    View{"mandelbrot", "-0.743643887,0.131825904", "1e-6", "20x15", "1200"},
                    View{"mandelbrot", "-1.25066,0.02012", "1.7e-5", "16x12", "1200"},
                    View{"mandelbrot", "-0.75,0", "3", "40x30", "1"},
                    View{"mandelbrot", "-0.75,0", "3", "40x30", "2"},
                    View{"mandelbrot", "-0.75,0", "3", "40x30", "17"},
                    View{"mandelbrot", "-0.75,0", "3", "40x30", "18"},
                    View{"mandelbrot", "-0.75,0", "3", "40x30", "23"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "150", "1.5"},
                    View{"mandelbrot", "-0.75,0", "4", "40x20", "17", "1"},
                    View{"mandelbrot", "-0.75,0", "4", "41x21", "200", "0.7"},
                    View{"mandelbrot", "-0.75,0", "4", "41x21", "1", "0.7"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "150", "25"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "150", "1e6"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "150", "1e9"},
                    View{"julia:-0.8,0.156", "0,0", "3", "40x30", "400"},
                    View{"julia:-0.8,0.156", "0,0", "3", "41x31", "400", "1000"},
                    View{"julia:0,1", "0,0", "2.8", "41x31", "200"},
                    View{"julia:-2,0", "0,0", "4.2", "41x5", "300"},
                    View{"julia:0.3,0.6", "0,0", "0.001", "24x18", "300"},
                    View{"julia:-6,0", "0,0", "7", "41x31", "60"},
                    View{"julia:0,0", "0,0", "2.2", "41x31", "200"},
                    View{"burning-ship", "-0.4,-0.65", "4.6", "40x30", "200"},
                    View{"burning-ship", "-1.755,-0.026", "0.13", "40x30", "400"},
                    View{"burning-ship", "-1.9,0", "0.1", "41x31", "300"},
                    View{"tricorn", "-0.2,0", "4", "40x30", "500"},
                    View{"tricorn", "-1.755,0", "0.08", "41x31", "400"},
                    View{"multibrot:3", "0,0", "3", "40x30", "200"},
                    View{"multibrot:3", "0.058,1.152", "0.1", "30x20", "400"},
                    View{"multibrot:4", "0,0", "3", "40x30", "200"},
                    View{"multibrot:5", "0,0", "3", "40x30", "150"},
                    View{"multibrot:6", "0,0", "3", "40x30", "150", "40"},
                    View{"multibrot:7", "0,0", "3", "40x30", "150"},
                    View{"multibrot:8", "0,0", "3", "41x31", "150"},
                    View{"multibrot:8", "0,0", "3", "41x31", "150", "1e9"}));

/// A place near the edge of the set of a formula, found by halving.
View random_view(std::mt19937_64& random) {
  static constexpr const char* kFormulas[] = {
      "mandelbrot",   "mandelbrot",  "julia:-0.8,0.156", "julia:-0.1,0.651", "burning-ship",
      "burning-ship", "tricorn",     "multibrot:3",      "multibrot:4",      "multibrot:5",
      "multibrot:6",  "multibrot:7", "multibrot:8"};
  View view{.formula = kFormulas[random() % std::size(kFormulas)]};
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution(from, to)(random);
  };
  double re = uniform(-2, 2), im = uniform(-1.5, 1.5), width = 4;
  if (random() % 8 == 0) im = 0;
  const int depth = static_cast<int>(random() % 20);
  for (int i = 0; i < depth; ++i, width /= 2) {
    // Towards the pixel with the highest count that escapes.
    view.center = fmt::format("{},{}", re, im);
    view.width = fmt::format("{}", width);
    view.size = "16x16";
    view.iterations = "2000";
    const job::ImageSpec image = image_of(view, "plain");
    const RenderedBlock block = render_block("cpu", image, whole(image), {.smooth = false});
    std::uint64_t best = 0;
    std::size_t at = random() % 256;
    for (std::size_t k = 0; k < 256; ++k) {
      const std::uint64_t count = count_of(block, image, k);
      if (count < image.iterations && count > best) best = count, at = k;
    }
    const std::size_t column = at % 16, row = at / 16;
    re += (static_cast<double>(column) - 7.5) * width / 16;
    if (im != 0) im += (7.5 - static_cast<double>(row)) * width / 16;
  }
  view.center = fmt::format("{},{}", re, im);
  view.width = fmt::format("{}", width);
  view.size = im == 0 ? "48x33" : "48x32";
  view.iterations = std::to_string(50 + random() % 1500);
  view.bailout = random() % 3 == 0 ? "100" : "2";
  return view;
}

TEST(ExactPlaces, have_the_counts_of_mpfr) {
  Compared all;
  for (const unsigned seed : deep::seeds()) {
    std::mt19937_64 random(seed);
    const View view = random_view(random);
    SCOPED_TRACE("--seed " + std::to_string(seed) + " --places 1: " + testing::PrintToString(view));
    const Compared one = compare(view);
    all.pixels += one.pixels;
    all.wrong += one.wrong;
    all.plain_wrong += one.plain_wrong;
    all.open += one.open;
  }
  std::printf(
      "%llu pixels: %llu wrong, %llu wrong with plain arithmetic, %llu left open by f64\n",
      static_cast<unsigned long long>(all.pixels), static_cast<unsigned long long>(all.wrong),
      static_cast<unsigned long long>(all.plain_wrong), static_cast<unsigned long long>(all.open));
}

class ExactBits : public testing::TestWithParam<View> {};

/// Whether f64 left as many counts open: the fields show only some of the bounds.
void expect_same_counts(const BlockCounts& counts, const BlockCounts& expected) {
  EXPECT_EQ(counts.iterations, expected.iterations);
  EXPECT_EQ(counts.uncertain, expected.uncertain);
  EXPECT_EQ(counts.uncertain_with_more, expected.uncertain_with_more);
}

/// All fields, with each instruction set, in parts, without shortcuts.
TEST_P(ExactBits, are_the_bits_of_the_reference) {
  const View& view = GetParam();
  const job::ImageSpec image = image_of(view);
  const bool fields = image.bailout >= job::escape_radius(image.formula);
  const RenderedBlock expected = render_block("reference", image, whole(image), {.smooth = fields});
  for (const cpu::CpuTarget& target : cpu::cpu_targets()) {
    const std::string device = "cpu:" + target.name;
    EXPECT_TRUE(render_block(device, image, whole(image), {.smooth = fields}).same_pixels(expected))
        << device;
  }
  for (const bool all : {fields, false}) {
    const RenderOptions options{.smooth = all, .shortcuts = false};
    const RenderedBlock block = render_block("cpu", image, whole(image), options);
    EXPECT_TRUE(!all || block.same_pixels(expected));
    expect_same_counts(block.counts,
                       render_block("reference", image, whole(image), options).counts);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Views, ExactBits,
    testing::Values(View{"mandelbrot", "-0.75,0", "3"},
                    // Bounds of the first block are those of the second, too.
                    View{"mandelbrot", "-0.743643887037151,0.13182590420533", "0.0025", "150x100",
                         "1000"},
                    View{"julia:-0.8,0.156", "0.1,0.2", "0.1", "150x100", "1000"},
                    View{"mandelbrot", "-0.743643887,0.131825904", "1e-6", "20x15", "1200"},
                    View{"mandelbrot", "-1.999,0", "0.002", "41x31", "500"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "150", "1.5"},
                    View{"mandelbrot", "-0.75,0", "4", "40x20", "17", "1"},
                    View{"mandelbrot", "-0.75,0", "4", "41x21", "200", "0.7"},
                    View{"mandelbrot", "-0.75,0.05", "0.05", "40x30", "151", "1e6"},
                    View{"julia:-0.8,0.156", "0,0", "3", "40x30", "400"},
                    View{"burning-ship", "-0.4,-0.65", "4.6", "40x30", "100"},
                    View{"burning-ship", "-1.755,-0.026", "0.13", "40x30", "200"},
                    View{"tricorn", "-1.755,0", "0.08", "41x31", "400"},
                    View{"multibrot:3", "0.058,1.152", "0.1", "30x20", "400"},
                    View{"multibrot:8", "0,0", "3", "41x31", "150"}));

}  // namespace
}  // namespace tessera::device
