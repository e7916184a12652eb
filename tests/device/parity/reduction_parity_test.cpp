// Partial results of every device are those of the reference, field by field: all types, wild and
// tame elements, any flags, sizes from nothing to more than one launch.
#include <gtest/gtest.h>

#include "parity_devices.hpp"
#include "partial_equality.hpp"
#include "real_elements.hpp"
#include "statistics/generated_elements.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

statistics::Partial reduced(const std::string& device, const statistics::ReductionSpec& spec,
                            const Elements& elements) {
  statistics::Partial partial;
  open_reducer(device, spec)
      ->reduce(elements, {.of = [](std::int64_t i) { return 7 + 2 * i; }}, partial);
  return partial;
}

/// All at once, and the sum alone, which may have a kernel of its own.
void expect_parity(const std::string& device, ElementType type, const Elements& elements,
                   const std::string& what) {
  for (const bool skip_nan : {false, true}) {
    const std::string how = what + (skip_nan ? ", skipping NaN" : "");
    const statistics::ReductionSpec all = everything(type, skip_nan);
    expect_equal(reduced(device, all, elements), reduced("reference", all, elements), how);
    const statistics::ReductionSpec sum{.type = type, .sum = true, .skip_nan = skip_nan};
    expect_equal(reduced(device, sum, elements), reduced("reference", sum, elements),
                 how + ", sum alone");
  }
}

using ReductionParity = DeviceTest;

TEST_P(ReductionParity, of_any_bits_of_every_type) {
  for (const ElementType type : kTypes) {
    for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 255, 5003, 70001}) {
      expect_parity(GetParam(), type, any_bits(type, count, count),
                    fmt::format("{} of {}", count, base::element_name(type)));
    }
  }
}

TEST_P(ReductionParity, of_sums_that_are_hard) {
  for (const Data& data : kinds_of_data()) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (const std::size_t count : {1, 4, 2003, 40009}) {
        expect_parity(GetParam(), type, reals(type, count, data.make),
                      fmt::format("{} of {}, {}", count, base::element_name(type), data.name));
      }
    }
  }
}

/// Sums take numbers of similar size in one way and others in another, and change the way in the
/// middle of an array.
TEST_P(ReductionParity, of_sizes_that_change) {
  using Random = std::mt19937_64;
  constexpr std::size_t kCount = 400'003;
  const auto drifting = [](Random& random, std::size_t i) {
    return std::ldexp(normal(random), static_cast<int>(i / 2000) - 100);
  };
  const auto sparse = [](Random& random, std::size_t i) {
    return i < kCount / 2 || random() % 8 != 0 ? either(random, 0.0, -0.0) : normal(random);
  };
  const auto outliers = [](Random& random, std::size_t) {
    return random() % 300 == 0 ? std::ldexp(normal(random), static_cast<int>(random() % 200) - 100)
                               : normal(random);
  };
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const Elements tame = reals(type, kCount, kinds_of_data().front().make);
    const Elements wild = any_bits(type, kCount, 4);
    const std::size_t half = tame.size() / 2;
    Elements tame_then_wild = tame, wild_then_tame = wild;
    std::copy_n(wild.begin(), half, tame_then_wild.end() - static_cast<std::ptrdiff_t>(half));
    std::copy_n(tame.begin(), half, wild_then_tame.end() - static_cast<std::ptrdiff_t>(half));
    const statistics::ReductionSpec sum{.type = type, .sum = true};
    for (const auto& [what, elements] :
         {std::pair{"any bits", wild}, std::pair{"tame, then wild", tame_then_wild},
          std::pair{"wild, then tame", wild_then_tame},
          std::pair{"drifting", reals(type, kCount, drifting)},
          std::pair{"sparse", reals(type, kCount, sparse)},
          std::pair{"outliers", reals(type, kCount, outliers)}}) {
      expect_equal(reduced(GetParam(), sum, elements), reduced("reference", sum, elements), what);
    }
  }
}

/// As many of the largest numbers of a window of f32 as a thread takes before it empties the
/// window, on devices with few groups.
TEST_P(ReductionParity, of_full_windows) {
  const statistics::ReductionSpec sum{.type = ElementType::f32, .sum = true};
  constexpr std::size_t kCount = std::size_t{8} << 20;
  for (const int exponent : {-112, 0, 103, 125}) {
    std::vector<float> values(kCount, std::ldexp(0x1.fffffep0F, exponent + 2));
    std::fill_n(values.begin(), kCount / 64, std::ldexp(-1.0F, exponent));
    const Elements elements = bytes_of(values);
    expect_equal(reduced(GetParam(), sum, elements), reduced("reference", sum, elements),
                 fmt::format("2^{}", exponent));
  }
}

TEST_P(ReductionParity, of_each_flag_alone) {
  const Elements elements = reals(ElementType::f64, 3001, kinds_of_data().front().make);
  for (bool statistics::ReductionSpec::*flag :
       {&statistics::ReductionSpec::sum, &statistics::ReductionSpec::absolute,
        &statistics::ReductionSpec::product, &statistics::ReductionSpec::squares,
        &statistics::ReductionSpec::cubes, &statistics::ReductionSpec::fourths,
        &statistics::ReductionSpec::extremes, &statistics::ReductionSpec::places,
        &statistics::ReductionSpec::nonzero}) {
    statistics::ReductionSpec spec;
    spec.*flag = true;
    expect_equal(reduced(GetParam(), spec, elements), reduced("reference", spec, elements), "");
  }
  expect_equal(reduced(GetParam(), {}, elements), reduced("reference", {}, elements), "none");
}

TEST_P(ReductionParity, of_more_than_a_launch) {
  for (const ElementType type : {ElementType::i8, ElementType::f32}) {
    const std::size_t count = (std::size_t{33} << 20) / base::element_bytes(type) + 5;
    expect_parity(GetParam(), type, any_bits(type, count, 3), "33 MiB");
  }
}

TEST_P(ReductionParity, adds_to_what_is_there) {
  const statistics::ReductionSpec spec = everything(ElementType::f64, true);
  const auto first = reals(ElementType::f64, 999, kinds_of_data()[1].make);
  const auto second = reals(ElementType::f64, 501, kinds_of_data()[11].make);
  std::array<statistics::Partial, 2> partials;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto reducer = open_reducer(k == 0 ? "reference" : GetParam(), spec);
    reducer->reduce(first, {.of = [](std::int64_t i) { return i; }}, partials[k]);
    reducer->reduce(second, {.of = [](std::int64_t i) { return 999 + i; }}, partials[k]);
  }
  expect_equal(partials[1], partials[0], "two pieces");
}

TEST_P(ReductionParity, of_indices_that_do_not_grow) {
  for (const ElementType type : {ElementType::u8, ElementType::i16, ElementType::f32}) {
    const Elements elements = any_bits(type, 4099, 8);
    const statistics::Indexing backwards{.of = [](std::int64_t i) { return 5000 - i; },
                                         .in_order = false};
    std::array<statistics::Partial, 2> partials;
    for (std::size_t k = 0; k < 2; ++k) {
      open_reducer(k == 0 ? "reference" : GetParam(), everything(type, false))
          ->reduce(elements, backwards, partials[k]);
    }
    expect_equal(partials[1], partials[0], std::string(base::element_name(type)));
  }
}

TEST_P(ReductionParity, of_histograms) {
  for (const ElementType type : kTypes) {
    const Elements elements = any_bits(type, 20011, 12);
    const double high = type == ElementType::f16 ? 100 : 127;
    for (const std::size_t bins : {1, 10, 2048, 5000}) {
      const statistics::HistogramBins histogram(-3.25, high, bins);
      std::array<std::vector<std::int64_t>, 2> counts;
      for (std::size_t k = 0; k < 2; ++k) {
        counts[k].resize(bins, 1);
        const auto reducer = open_reducer(k == 0 ? "reference" : GetParam(), {.type = type});
        for (int pass = 0; pass < 2; ++pass) reducer->count(elements, histogram, counts[k]);
      }
      EXPECT_EQ(counts[1], counts[0]) << base::element_name(type) << ", " << bins;
    }
  }
}

TEST_P(ReductionParity, of_arrays_that_it_makes_itself) {
  for (const char* text :
       {"random:uniform?count=100003", "random:uniform?count=90001&dtype=f4&seed=5",
        "random:uniform?count=90001&dtype=u1", "random:uniform?count=90001&dtype=i2&seed=77",
        "random:uniform?count=90001&dtype=u4", "random:uniform?count=90001&dtype=i8",
        "random:normal?count=100003&seed=3", "random:normal?count=90001&dtype=f4",
        "linspace:-3,1e300?count=70001", "linspace:0.1,7?count=70001&dtype=f4",
        "linspace:5,6?count=1", "linspace:-0.0,-1?count=1", "linspace:0,1e-323?count=7",
        "linspace:1.5e-323,0?count=40", "linspace:-1e308,1e308?count=9"}) {
    const job::ArrayInput input = job::parse_array_input(text);
    const statistics::ReductionSpec spec = everything(input.type, false);
    const auto reducer = open_reducer(GetParam(), spec);
    if (!reducer->generates(input)) continue;
    for (const std::int64_t first : {0, 1, 30000}) {
      const std::int64_t count = input.shape.front() - first;
      if (count <= 0) continue;
      const statistics::Indexing indexing{.of = [first](std::int64_t i) { return first + i; }};
      Elements elements(static_cast<std::size_t>(count) * base::element_bytes(input.type));
      statistics::generate(input, first, elements);
      statistics::Partial truth, got;
      open_reducer("reference", spec)->reduce(elements, indexing, truth);
      const statistics::GeneratedElements generated{input, first, count};
      reducer->reduce(generated, indexing, got);
      expect_equal(got, truth, fmt::format("{} from {}", text, first));
      const statistics::HistogramBins bins(-1, 2, 7);
      std::vector<std::int64_t> true_counts(7), counts(7);
      open_reducer("reference", spec)->count(elements, bins, true_counts);
      reducer->count(generated, bins, counts);
      EXPECT_EQ(counts, true_counts) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ReductionParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
