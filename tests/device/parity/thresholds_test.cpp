// Sizes on both sides of every block, table and switch of the reductions: what a device answers is
// what the reference does. A constant names its test: // crossed by: NAME.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "parity_devices.hpp"
#include "partial_equality.hpp"
#include "real_elements.hpp"
#include "tests/device/axis_cases.hpp"
#include "tests/device/named_device.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

/// Most of what is crossed here are blocks and tables of the CPU: other devices, for which each
/// size is a launch, get every `kSeldom`th case.
class Thresholds : public DeviceTest {
 protected:
  bool takes_turn() { return GetParam().starts_with("cpu") || turn_++ % kSeldom == 0; }

 private:
  static constexpr int kSeldom = 11;
  int turn_ = 0;
};

/// One below, at and one above.
std::set<std::size_t> around(const std::vector<std::size_t>& edges) {
  std::set<std::size_t> sizes;
  for (const std::size_t edge : edges) sizes.insert({edge - 1, edge, edge + 1});
  return sizes;
}

statistics::Partial reduced(const std::string& device, const statistics::ReductionSpec& spec,
                            std::span<const std::byte> elements) {
  statistics::Partial partial;
  open_reducer(device, spec)->reduce(elements, {.of = [](std::int64_t i) { return i; }}, partial);
  return partial;
}

/// Every kind of sum of the beginnings of an array.
void expect_sums(const std::string& device, ElementType type, const Elements& elements,
                 const std::set<std::size_t>& counts, const std::string& what) {
  const statistics::ReductionSpec sum{.type = type, .sum = true};
  const statistics::ReductionSpec absolute{.type = type, .absolute = true};
  const statistics::ReductionSpec moments{
      .type = type, .sum = true, .squares = true, .extremes = true};
  const statistics::ReductionSpec squares{.type = type, .squares = true};
  for (const std::size_t count : counts) {
    const auto some = std::span(elements).first(count * base::element_bytes(type));
    for (const statistics::ReductionSpec& spec : {sum, absolute, moments, squares}) {
      expect_equal(reduced(device, spec, some), reduced("reference", spec, some),
                   fmt::format("{} of {}, {}", count, base::element_name(type), what));
    }
  }
}

/// Blocks of windows (4096 terms, 12288 bytes), of integers (32768 bytes), stretches of plain sums
/// (2048 and 4096, 8192), parts of the exponent table (960, 1920, 3840), blocks in the cache
/// (32768), and groups of vectors.
TEST_P(Thresholds, of_blocks_of_sums) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const auto counts =
        around({8, 16, 32, 480, 960, 1536, 1920, 2048, 3072, 3840, 4096, 8192, 32768});
    for (const std::size_t kind : {0, 1, 2, 3, 4, 5}) {
      if (!takes_turn()) continue;
      const Data& data = kinds_of_data()[kind];
      expect_sums(GetParam(), type, reals(type, *counts.rbegin(), data.make), counts, data.name);
    }
  }
}

/// The largest number in nearly every place, and others of any size in between, for which there is
/// only the table: its entries are filled as far as they ever are before they are folded.
Elements mostly_largest(ElementType type, std::size_t count) {
  const double largest = type == ElementType::f32 ? std::numeric_limits<float>::max()
                                                  : std::numeric_limits<double>::max();
  const int range = type == ElementType::f32 ? 250 : 2000;
  return reals(type, count, [=](std::mt19937_64& random, std::size_t i) {
    if (i % 32 != 7) return largest;
    return std::ldexp(1.9,
                      static_cast<int>(random() % static_cast<std::uint64_t>(range)) - (range / 2));
  });
}

/// Entries of singles have room for 65535 terms in each of 4 tables, those of doubles for 3840.
TEST_P(Thresholds, of_tables_of_exponents) {
  const std::size_t block = std::size_t{1} << 20;
  expect_sums(GetParam(), ElementType::f32, mostly_largest(ElementType::f32, block / 2 + 1),
              around({std::size_t{4} * 65535, 65536, block / 4, block / 2}), "table");
  expect_sums(GetParam(), ElementType::f64, mostly_largest(ElementType::f64, block / 4 + 1),
              around({3840, 7680, block / 8, block / 4}), "table");
}

/// Blocks of a MiB where there are sums alone, of 32768 elements where there is more.
TEST_P(Thresholds, of_blocks_of_passes) {
  for (const ElementType type : kTypes) {
    if (!takes_turn()) continue;
    const std::size_t most = (std::size_t{1} << 20) / base::element_bytes(type);
    const Elements elements = any_bits(type, 2 * most + 1, 3);
    for (const std::size_t count : around({32768, 65536, most, 2 * most})) {
      const auto some = std::span(elements).first(count * base::element_bytes(type));
      for (const statistics::ReductionSpec& spec :
           {statistics::ReductionSpec{.type = type, .sum = true, .absolute = true, .squares = true},
            statistics::ReductionSpec{
                .type = type, .sum = true, .extremes = true, .places = true, .nonzero = true}}) {
        expect_equal(reduced(GetParam(), spec, some), reduced("reference", spec, some),
                     fmt::format("{} of {}", count, base::element_name(type)));
      }
    }
  }
}

/// Vectors side by side, and what is left of them: an extreme at the very end of every size.
TEST_P(Thresholds, of_vectors_of_extremes) {
  for (const ElementType type : {ElementType::i8, ElementType::u16, ElementType::f32}) {
    const std::size_t bytes = base::element_bytes(type);
    const statistics::ReductionSpec spec{
        .type = type, .extremes = true, .places = true, .nonzero = true};
    const auto reducer = open_reducer(GetParam(), spec);
    const auto reference = open_reducer("reference", spec);
    for (std::size_t count = 1; count <= 4 * 64 / bytes * 2 + 2; ++count) {
      Elements elements(count * bytes);
      elements.back() = std::byte{0x3f};
      statistics::Partial got, truth;
      const statistics::Indexing indexing{.of = [](std::int64_t i) { return i; }};
      reducer->reduce(elements, indexing, got);
      reference->reduce(elements, indexing, truth);
      expect_equal(got, truth, fmt::format("{} of {}", count, base::element_name(type)));
    }
  }
}

/// Counters of a byte over 192 elements, of two over 65472.
TEST_P(Thresholds, of_counters) {
  for (const ElementType type : kTypes) {
    if (!takes_turn()) continue;
    const std::size_t bytes = base::element_bytes(type);
    const Elements ones(66000 * bytes, std::byte{1});
    const auto reducer = open_reducer(GetParam(), {.type = type, .nonzero = true});
    for (const std::size_t count : around({192, 256, 384, 65472, 65536})) {
      statistics::Partial got;
      reducer->reduce(std::span(ones).first(count * bytes),
                      {.of = [](std::int64_t i) { return i; }}, got);
      EXPECT_EQ(got.nonzero, static_cast<std::int64_t>(count)) << base::element_name(type);
    }
  }
}

/// Four tables up to 1024 bins, bins in the memory of a group of a GPU up to 2048; elements are
/// looked for 4096 at a time, 512 of them as f64, and counted four at a time.
TEST_P(Thresholds, of_tables_of_bins) {
  for (const ElementType type : {ElementType::u8, ElementType::i16, ElementType::f32}) {
    const Elements elements = any_bits(type, 8193, 4);
    for (const std::size_t bins : {1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 65535, 65536}) {
      const statistics::HistogramBins histogram(-100.5, 155.25, bins);
      for (const std::size_t count : {1, 3, 4, 5, 511, 512, 513, 4095, 4096, 4097, 8192, 8193}) {
        const auto some = std::span(elements).first(count * base::element_bytes(type));
        std::vector<std::int64_t> got(bins), truth(bins);
        open_reducer(GetParam(), {.type = type})->count(some, histogram, got);
        open_reducer("reference", {.type = type})->count(some, histogram, truth);
        EXPECT_EQ(got, truth) << count << " of " << base::element_name(type) << ", " << bins;
      }
    }
  }
}

/// All in one bin: more than 16 and 20 bits of them.
TEST_P(Thresholds, of_counts_of_a_bin) {
  const Elements same((std::size_t{1} << 20) + 3, std::byte{5});
  for (const std::size_t bins : {1, 2000, 3000}) {
    std::vector<std::int64_t> got(bins);
    open_reducer(GetParam(), {.type = ElementType::u8})->count(same, {5, 6, bins}, got);
    EXPECT_EQ(got.front(), static_cast<std::int64_t>(same.size())) << bins;
  }
}

/// Widths of bins that are rounded coarsely, or to 0: edges coincide, and lie above the last one.
TEST_P(Thresholds, of_bins_of_hardly_any_width) {
  const double tiniest = 5e-324;
  std::vector<double> values = {0.0, -0.0, 1.0, -tiniest};
  for (int i = 0; i < 40; ++i) values.push_back(i * tiniest);
  const Elements elements = bytes_of(values);
  for (const int units : {1, 3, 15, 39}) {
    for (const std::size_t bins : {1, 2, 10, 31, 78, 79, 2049}) {
      const statistics::HistogramBins histogram(0, units * tiniest, bins);
      std::vector<std::int64_t> got(bins), truth(bins);
      open_reducer(GetParam(), {})->count(elements, histogram, got);
      open_reducer("reference", {})->count(elements, histogram, truth);
      EXPECT_EQ(got, truth) << units << " in " << bins;
    }
  }
}

/// Blocks of 2048 outputs, tiles of 8192; passes of 1024 columns; rows of 2048 elements, of
/// vectors, and of the 64 side by side; few outputs (16, 32) beside many.
TEST_P(Thresholds, of_outputs_and_their_elements) {
  const auto expect_same = [this](const Case& cut, ElementType type) {
    if (!takes_turn()) return;
    statistics::OutputSpec output_spec{.spec = everything(type, false)};
    output_spec.spec.product = false;
    output_spec.bins.emplace(-1.0, 1.0, 3);
    const auto elements = elements_of(type, plan::element_count(cut.shape), 5);
    EXPECT_EQ(reduce(device_named(GetParam()), cut, output_spec, elements, 1),
              reduce(device_named("reference"), cut, output_spec, elements, 1))
        << cut.shape[0] << " x " << cut.shape[1] << ' ' << base::element_name(type);
  };
  using Sizes = std::vector<std::int64_t>;
  for (const ElementType type : {ElementType::i16, ElementType::f32, ElementType::f64}) {
    const bool passes = type == ElementType::i16;  // the others have windows
    for (const std::int64_t outputs : passes ? Sizes{15, 16, 17, 1023, 1024, 1025}
                                             : Sizes{15, 16, 17, 31, 32, 33, 2047, 2048, 2049}) {
      expect_same({{3, outputs}, {true, false}, {3, outputs}}, type);
      expect_same({{outputs, 3}, {false, true}, {outputs, 3}}, type);
    }
    for (const std::int64_t each :
         {7, 8, 9, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049}) {
      expect_same({{each, 3}, {true, false}, {each, 3}}, type);
      expect_same({{9, each}, {false, true}, {9, each}}, type);
    }
  }
}

/// Rows are taken 8 at a time; what is left of them is cut into virtual outputs from 512 elements
/// on.
TEST_P(Thresholds, of_few_rows_and_of_many) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const std::int64_t each : {255, 256, 257, 511, 512, 513}) {
      for (const std::int64_t rows : {7, 8, 9, 17}) {
        if (!takes_turn()) continue;
        const Case cut{{rows, each}, {false, true}, {rows, each}};
        statistics::OutputSpec output_spec{
            .spec = {.type = type, .sum = true, .absolute = true, .squares = true}};
        output_spec.bins.emplace(-1.0, 1.0, 3);
        const auto elements = elements_of(type, rows * each, 6);
        EXPECT_EQ(reduce(device_named(GetParam()), cut, output_spec, elements, 1),
                  reduce(device_named("reference"), cut, output_spec, elements, 1))
            << rows << " x " << each << ' ' << base::element_name(type);
      }
    }
  }
}

/// Pixels of a band (4096) and of a call (16384) of the CPU, in rows and in blocks, and iterations
/// that are looked at 16 at a time.
TEST_P(Thresholds, of_pixels_of_a_band) {
  for (const std::int64_t pixels : {4095, 4096, 4097, 16383, 16384, 16385}) {
    for (const base::ImageSize size :
         {base::ImageSize{pixels, 1}, {1, pixels}, {pixels / 64 + 1, 64}}) {
      if (!takes_turn()) continue;
      const job::ImageSpec image{-0.75, 0.01, 3.0, size, 49, 2.0};
      const RenderedBlock truth = render_block("reference", image, whole(image), {.smooth = true});
      const RenderedBlock got = render_block(GetParam(), image, whole(image), {.smooth = true});
      EXPECT_TRUE(got.same_pixels(truth)) << size.width << " x " << size.height;
    }
  }
}

/// Counts of 16 bits up to 65535 iterations, of 32 above.
TEST_P(Thresholds, of_the_bits_of_a_count) {
  for (const std::uint32_t iterations : {65534U, 65535U, 65536U, 65537U}) {
    const job::ImageSpec image{-0.75, 0.1, 2.5, {9, 7}, iterations, 2.0};
    const RenderedBlock truth = render_block("reference", image, whole(image));
    EXPECT_EQ(truth.iterations.size(), iterations <= 65535 ? 9U * 7 * 2 : 9U * 7 * 4);
    EXPECT_EQ(render_block(GetParam(), image, whole(image)).iterations, truth.iterations);
  }
}

TEST_P(Thresholds, of_the_bits_of_a_deep_count) {
  for (const std::uint64_t iterations : {4294967294ULL, 4294967295ULL, 4294967296ULL}) {
    const job::ImageSpec image{.size_px = {9, 7},
                               .iterations = iterations,
                               .arithmetic = job::Arithmetic::perturbation,
                               .place = {"-1", "0", "1e-20"}};
    const RenderedBlock truth = render_block("reference", image, whole(image));
    EXPECT_EQ(truth.iterations.size(), iterations <= 4294967294ULL ? 9U * 7 * 4 : 9U * 7 * 8);
    EXPECT_EQ(render_block(GetParam(), image, whole(image)).iterations, truth.iterations);
  }
}

/// Beyond 32 bits, plain pixels that do not escape are computed again. Each of these either escapes
/// soon, is in the cardioid or the disc, or returns to the same bits.
TEST_P(Thresholds, of_the_bits_of_a_plain_count) {
  constexpr std::uint64_t kEnough = 4096;
  for (const char* formula : {"mandelbrot", "julia:-1,0"}) {
    job::ImageSpec image{.center_re = -0.5,
                         .center_im = 0.01,
                         .width = 3.0,
                         .size_px = {9, 7},
                         .iterations = kEnough,
                         .formula = job::parse_formula(formula, "")};
    const RenderedBlock truth = render_block("reference", image, whole(image), {.smooth = true});
    for (const std::uint64_t iterations :
         {4294967294ULL, 4294967295ULL, 4294967296ULL, 1ULL << 53}) {
      SCOPED_TRACE(::testing::Message() << formula << ' ' << iterations);
      image.iterations = iterations;
      const RenderedBlock got = render_block(GetParam(), image, whole(image), {.smooth = true});
      ASSERT_EQ(got.iterations.size(), iterations <= 4294967294ULL ? 9U * 7 * 4 : 9U * 7 * 8);
      const std::size_t bytes = got.iterations.size() / (9 * 7);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < 9 * 7; ++i) {
        std::uint64_t count = 0, wanted = 0;
        std::memcpy(&count, &got.iterations[bytes * i], bytes);
        std::memcpy(&wanted, &truth.iterations[2 * i], 2);
        const bool inside = wanted == kEnough;
        EXPECT_EQ(count, inside ? iterations : wanted) << i;
        EXPECT_EQ(got.smooth[i], inside ? static_cast<float>(iterations) : truth.smooth[i]) << i;
        EXPECT_EQ(got.distance[i], truth.distance[i]) << i;
        sum = base::saturated_sum(sum, count);
      }
      EXPECT_EQ(got.counts.iterations, sum);
    }
  }
}

/// Orbits of more than 2^20 iterations are cut on GPUs. Rotations never return to a saved point,
/// and near a cusp an orbit returns late or escapes late.
TEST_P(Thresholds, of_orbits_that_are_cut) {
  if (GetParam().starts_with("cpu")) GTEST_SKIP() << "only GPUs cut orbits";
  struct LongOrbits {
    const char* formula;
    double re, im, width;
    bool smooth;
  };
  for (const LongOrbits& place :
       {LongOrbits{"julia:-0.390540870218,-0.586787907346", 0.1, 0.0, 0.5, true},
        LongOrbits{"mandelbrot", 0.25, 0.0, 1e-9, true},
        LongOrbits{"mandelbrot", -2.0, 0.0, 1e-13, false},
        LongOrbits{"tricorn", -0.75, 0.0, 1e-3, true}}) {
    for (const std::uint32_t iterations : {(1U << 20) - 1, 1U << 20, (1U << 20) + 1, 2'500'003U}) {
      const job::ImageSpec image{.center_re = place.re,
                                 .center_im = place.im,
                                 .width = place.width,
                                 .size_px = {5, 3},
                                 .iterations = iterations,
                                 .bailout = 2.0,
                                 .formula = job::parse_formula(place.formula, "")};
      const RenderedBlock truth = render_block("reference", image, whole(image), {place.smooth});
      for (const bool shortcuts : {true, false}) {
        const RenderedBlock got =
            render_block(GetParam(), image, whole(image), {place.smooth, shortcuts});
        EXPECT_TRUE(got.same_pixels(truth)) << place.formula << " " << iterations;
        EXPECT_EQ(got.counts.iterations, truth.counts.iterations) << place.formula;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Thresholds, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
