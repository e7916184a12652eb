// Partial results of every device are those of the reference, field by field: all types, wild and
// tame elements, any flags, sizes from nothing to more than one launch.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "device/device.hpp"
#include "device/generator.hpp"
#include "device/reduction.hpp"
#include "device/registry.hpp"
#include "parity_devices.hpp"

namespace tessera::device {
namespace {

using base::ElementType;

constexpr std::array kTypes = {ElementType::i8,  ElementType::i16, ElementType::i32,
                               ElementType::i64, ElementType::u8,  ElementType::u16,
                               ElementType::u32, ElementType::u64, ElementType::f16,
                               ElementType::f32, ElementType::f64};

using Elements = std::vector<std::byte>;

Elements any_bits(ElementType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Elements bytes(count * base::element_bytes(type));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

template <class T>
Elements bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// Elements of f64 or f32 by `make(random, i)`.
template <class Make>
Elements reals(ElementType type, std::size_t count, const Make& make) {
  std::mt19937_64 random(count);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(make(random, i));
  if (type == ElementType::f64) return bytes_of(values);
  return bytes_of(std::vector<float>(values.begin(), values.end()));
}

double normal(std::mt19937_64& random) {
  return std::normal_distribution<double>()(random);
}

double either(std::mt19937_64& random, double a, double b) {
  return random() % 2 == 0 ? a : b;
}

struct Data {
  const char* name;
  double (*make)(std::mt19937_64&, std::size_t);
};

/// What makes exact sums hard, and signs of zeros.
const std::vector<Data>& kinds_of_data() {
  using Random = std::mt19937_64;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<Data> kinds = {
      {"normal", [](Random& random, std::size_t) { return normal(random); }},
      {"spread",
       [](Random& random, std::size_t) {
         return std::ldexp(normal(random), static_cast<int>(random() % 601) - 300);
       }},
      {"cancelling",
       [](Random& random, std::size_t i) {
         return (i % 2 == 0 ? 1 : -1) * std::ldexp(1 + 0x1p-30 * static_cast<double>(random() % 9),
                                                   static_cast<int>(i / 2 % 200) - 100);
       }},
      {"fill values",
       [](Random& random, std::size_t i) { return i % 97 == 5 ? 9.96921e36 : normal(random); }},
      {"subnormal",
       [](Random& random, std::size_t) {
         return std::ldexp(normal(random), either(random, -149, -1074) > -200 ? -145 : -1070);
       }},
      {"huge",
       [](Random& random, std::size_t) {
         return std::ldexp(normal(random) / 8, either(random, 0, 1) > 0 ? 1023 : 127);
       }},
      {"negative zeros", [](Random&, std::size_t) { return -0.0; }},
      {"zeros", [](Random& random, std::size_t) { return either(random, 0.0, -0.0); }},
      {"ones and zeros", [](Random& random, std::size_t) { return either(random, -0.0, -1.0); }},
      {"nan", [](Random&, std::size_t) { return kNan; }},
      {"nan and negative zeros",
       [](Random& random, std::size_t) { return either(random, kNan, -0.0); }},
      {"some nan",
       [](Random& random, std::size_t i) { return i % 50 == 49 ? kNan : normal(random); }},
      {"an infinity",
       [](Random& random, std::size_t i) { return i == 3 ? -kInfinity : normal(random); }},
      {"infinities",
       [](Random& random, std::size_t) { return either(random, kInfinity, -kInfinity); }},
      {"sums that overflow", [](Random&, std::size_t i) { return i % 4 < 2 ? 1e308 : -1e308; }},
  };
  return kinds;
}

std::unique_ptr<Reducer> open(const std::string& name, const ReductionSpec& spec) {
  static std::map<std::string, std::unique_ptr<Device>> devices;  // to open one takes milliseconds
  auto& device = devices[name];
  if (!device) device = std::move(open_devices(name, {.threads = 1}).front());
  return device->open_reducer(spec);
}

void expect_equal(const Partial& got, const Partial& truth, const std::string& what) {
  EXPECT_EQ(got.elements, truth.elements) << what;
  EXPECT_EQ(got.nans, truth.nans) << what;
  EXPECT_EQ(got.positive_infinities, truth.positive_infinities) << what;
  EXPECT_EQ(got.negative_infinities, truth.negative_infinities) << what;
  EXPECT_EQ(got.nonzero, truth.nonzero) << what;
  EXPECT_EQ(got.first_nan, truth.first_nan) << what;
  EXPECT_EQ(got.least, truth.least) << what;
  EXPECT_EQ(got.greatest, truth.greatest) << what;
  EXPECT_EQ(got.at_least.key, truth.at_least.key) << what;
  EXPECT_EQ(got.at_least.index, truth.at_least.index) << what;
  EXPECT_EQ(got.at_greatest.key, truth.at_greatest.key) << what;
  EXPECT_EQ(got.at_greatest.index, truth.at_greatest.index) << what;
  EXPECT_TRUE(got.integers.sum == truth.integers.sum) << what;
  EXPECT_TRUE(got.integers.absolute == truth.integers.absolute) << what;
  EXPECT_TRUE(got.integers.squares_low == truth.integers.squares_low) << what;
  EXPECT_TRUE(got.integers.squares_high == truth.integers.squares_high) << what;
  EXPECT_TRUE(got.sum == truth.sum) << what << ": sum";
  EXPECT_TRUE(got.absolute == truth.absolute) << what << ": absolute";
  EXPECT_TRUE(got.squares == truth.squares) << what << ": squares";
  // Of a NaN not even the sign is the same everywhere.
  const bool is_nan = std::isnan(truth.product.rounded());
  EXPECT_TRUE(is_nan ? std::isnan(got.product.rounded()) : got.product == truth.product)
      << what << ": product";
  EXPECT_TRUE(got.pairs.reals == truth.pairs.reals) << what << ": products";
  // The value is high * 2^64 + low.
  const auto upper = [](const IntegerProducts& sum) {
    return sum.high + static_cast<kernels::Int128>(sum.low >> 64);
  };
  const IntegerProducts &a = got.pairs.integers, &b = truth.pairs.integers;
  EXPECT_TRUE(upper(a) == upper(b)) << what << ": products";
  EXPECT_EQ(static_cast<std::uint64_t>(a.low), static_cast<std::uint64_t>(b.low)) << what;
}

Partial reduced(const std::string& device, const ReductionSpec& spec, const Elements& elements) {
  Partial partial;
  open(device, spec)->reduce(elements, {.of = [](std::int64_t i) { return 7 + 2 * i; }}, partial);
  return partial;
}

ReductionSpec everything(ElementType type, bool skip_nan) {
  return {.type = type,
          .sum = true,
          .absolute = true,
          .product = true,
          .squares = true,
          .extremes = true,
          .places = true,
          .nonzero = true,
          .skip_nan = skip_nan};
}

/// All at once, and the sum alone, which may have a kernel of its own.
void expect_parity(const std::string& device, ElementType type, const Elements& elements,
                   const std::string& what) {
  for (const bool skip_nan : {false, true}) {
    const std::string how = what + (skip_nan ? ", skipping NaN" : "");
    const ReductionSpec all = everything(type, skip_nan);
    expect_equal(reduced(device, all, elements), reduced("reference", all, elements), how);
    const ReductionSpec sum{.type = type, .sum = true, .skip_nan = skip_nan};
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

TEST_P(ReductionParity, of_each_flag_alone) {
  const Elements elements = reals(ElementType::f64, 3001, kinds_of_data().front().make);
  for (bool ReductionSpec::*flag :
       {&ReductionSpec::sum, &ReductionSpec::absolute, &ReductionSpec::product,
        &ReductionSpec::squares, &ReductionSpec::extremes, &ReductionSpec::places,
        &ReductionSpec::nonzero}) {
    ReductionSpec spec;
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
  const ReductionSpec spec = everything(ElementType::f64, true);
  const auto first = reals(ElementType::f64, 999, kinds_of_data()[1].make);
  const auto second = reals(ElementType::f64, 501, kinds_of_data()[11].make);
  std::array<Partial, 2> partials;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto reducer = open(k == 0 ? "reference" : GetParam(), spec);
    reducer->reduce(first, {.of = [](std::int64_t i) { return i; }}, partials[k]);
    reducer->reduce(second, {.of = [](std::int64_t i) { return 999 + i; }}, partials[k]);
  }
  expect_equal(partials[1], partials[0], "two pieces");
}

TEST_P(ReductionParity, of_indices_that_do_not_grow) {
  for (const ElementType type : {ElementType::u8, ElementType::i16, ElementType::f32}) {
    const Elements elements = any_bits(type, 4099, 8);
    const Indexing backwards{.of = [](std::int64_t i) { return 5000 - i; }, .in_order = false};
    std::array<Partial, 2> partials;
    for (std::size_t k = 0; k < 2; ++k) {
      open(k == 0 ? "reference" : GetParam(), everything(type, false))
          ->reduce(elements, backwards, partials[k]);
    }
    expect_equal(partials[1], partials[0], std::string(base::element_name(type)));
  }
}

/// Products of two arrays, alone and beside what is wanted of the first.
void expect_pair_parity(const std::string& device, ReductionSpec spec, const Elements& x,
                        const Elements& y, const std::string& what) {
  const Indexing indexing{.of = [](std::int64_t i) { return 3 + i; }};
  spec.products = true;
  for (const bool skip_nan : {false, true}) {
    spec.skip_nan = skip_nan;
    Partial truth, got, alone;
    open("reference", spec)->reduce_pairs(x, y, indexing, spec, truth);
    const auto reducer = open(device, spec);
    reducer->reduce_pairs(x, y, indexing, spec, got);
    expect_equal(got, truth, what);
    reducer->add_pairs(x, y, spec, alone.pairs);
    Partial only_pairs;
    only_pairs.pairs = truth.pairs;
    expect_equal(alone, only_pairs, what + ", alone");
  }
}

TEST_P(ReductionParity, of_the_products_of_two_arrays_of_any_types) {
  for (const ElementType x : kTypes) {
    for (const ElementType y : kTypes) {
      for (const std::size_t count : {0, 1, 17, 1003}) {
        expect_pair_parity(
            GetParam(), {.type = x, .sum = true, .with_type = y}, any_bits(x, count, count),
            any_bits(y, count, count + 1),
            fmt::format("{} of {} and {}", count, base::element_name(x), base::element_name(y)));
      }
    }
  }
}

TEST_P(ReductionParity, of_products_that_are_hard) {
  for (const Data& a : kinds_of_data()) {
    for (const Data& b : kinds_of_data()) {
      for (const ElementType type : {ElementType::f32, ElementType::f64}) {
        expect_pair_parity(GetParam(),
                           {.type = type, .places = true, .with_type = ElementType::f64},
                           reals(type, 2003, a.make), reals(ElementType::f64, 2003, b.make),
                           fmt::format("{}: {} and {}", base::element_name(type), a.name, b.name));
      }
    }
  }
}

TEST_P(ReductionParity, of_two_arrays_of_more_than_a_launch) {
  const std::size_t count = (std::size_t{33} << 20) / 5 + 3;
  expect_pair_parity(GetParam(),
                     {.type = ElementType::i8, .extremes = true, .with_type = ElementType::i32},
                     any_bits(ElementType::i8, count, 1), any_bits(ElementType::i32, count, 2), "");
}

TEST_P(ReductionParity, of_two_arrays_that_it_makes_itself) {
  const job::ArrayInput x = job::parse_array_input("random:normal?count=90001&dtype=f4");
  const job::ArrayInput y = job::parse_array_input("random:uniform?count=90001&dtype=i8&seed=4");
  const ReductionSpec spec{.type = x.type, .sum = true, .products = true, .with_type = y.type};
  const auto reducer = open(GetParam(), spec);
  if (!reducer->makes(x) || !reducer->makes(y)) return;
  const Indexing indexing{.of = [](std::int64_t i) { return i; }};
  Elements x_elements(90001 * 4), y_elements(std::size_t{90001} * 8);
  generate(x, 0, x_elements);
  generate(y, 0, y_elements);
  Partial truth, got;
  open("reference", spec)->reduce_pairs(x_elements, y_elements, indexing, spec, truth);
  reducer->reduce_made_pairs({x, 0, 90001}, {y, 0, 90001}, indexing, spec, got);
  expect_equal(got, truth, "made");
}

TEST_P(ReductionParity, of_histograms) {
  for (const ElementType type : kTypes) {
    const Elements elements = any_bits(type, 20011, 12);
    const double high = type == ElementType::f16 ? 100 : 127;
    for (const std::size_t bins : {1, 10, 2048, 5000}) {
      const HistogramBins histogram(-3.25, high, bins);
      std::array<std::vector<std::int64_t>, 2> counts;
      for (std::size_t k = 0; k < 2; ++k) {
        counts[k].resize(bins, 1);
        const auto reducer = open(k == 0 ? "reference" : GetParam(), {.type = type});
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
        "linspace:5,6?count=1"}) {
    const job::ArrayInput input = job::parse_array_input(text);
    const ReductionSpec spec = everything(input.type, false);
    const auto reducer = open(GetParam(), spec);
    if (!reducer->makes(input)) continue;
    for (const std::int64_t first : {0, 1, 30000}) {
      const std::int64_t count = input.shape.front() - first;
      if (count <= 0) continue;
      const Indexing indexing{.of = [first](std::int64_t i) { return first + i; }};
      Elements elements(static_cast<std::size_t>(count) * base::element_bytes(input.type));
      generate(input, first, elements);
      Partial truth, got;
      open("reference", spec)->reduce(elements, indexing, truth);
      reducer->reduce_made({input, first, count}, indexing, got);
      expect_equal(got, truth, fmt::format("{} from {}", text, first));
      const HistogramBins bins(-1, 2, 7);
      std::vector<std::int64_t> true_counts(7), counts(7);
      open("reference", spec)->count(elements, bins, true_counts);
      reducer->count_made({input, first, count}, bins, counts);
      EXPECT_EQ(counts, true_counts) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ReductionParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
