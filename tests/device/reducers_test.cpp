// Every device makes the same of the same elements, in whatever parts and order they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "named_device.hpp"
#include "reduction_cases.hpp"
#include "statistics/half.hpp"
#include "statistics/partial.hpp"

namespace tessera::device {
namespace {

enum class Pattern { any_bits, small, zeros };

Elements elements_of(ElementType type, std::size_t count, Pattern pattern, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Elements bytes = any_bits(type, count, random);
  if (pattern == Pattern::any_bits) return bytes;
  const auto fill = [&]<class T>(T) {
    T* const values = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < count; ++i) {
      const int x = static_cast<int>(random() % 7) - 3;
      values[i] = static_cast<T>(pattern == Pattern::zeros ? 0 : x);
      if constexpr (std::is_floating_point_v<T>) {
        if (values[i] == 0 && random() % 2 == 0) values[i] = -values[i];
      }
    }
  };
  if (type == ElementType::f32) {
    fill(0.0F);
  } else if (type == ElementType::f64) {
    fill(0.0);
  } else if (type == ElementType::i32) {
    fill(std::int32_t{0});
  } else if (type == ElementType::i64) {
    fill(std::int64_t{0});
  }
  return bytes;
}

/// "cpu" and its instruction sets.
const std::vector<DeviceInfo>& cpu_devices() {
  static const std::vector<DeviceInfo> devices =
      std::ranges::find(backends(), "cpu", &Backend::name)->list({.threads = 1});
  return devices;
}

std::string reduce_at_once(const std::string& device, const statistics::ReductionSpec& spec,
                           std::span<const std::byte> elements, job::NanPolicy nan) {
  statistics::Partial partial;
  open_reducer(device, spec)->reduce(elements, {.of = [](std::int64_t i) { return i; }}, partial);
  return describe(partial, spec.type, nan);
}

/// In parts of different sizes, backwards, merged.
std::string reduce_in_parts(const std::string& device, const statistics::ReductionSpec& spec,
                            std::span<const std::byte> elements, job::NanPolicy nan) {
  const std::size_t bytes = base::element_bytes(spec.type);
  const auto reducer = open_reducer(device, spec);
  statistics::Partial all;
  std::size_t end = elements.size() / bytes;
  for (std::size_t size = 1; end > 0; size = 3 * size + 1) {
    const std::size_t first = end - std::min(size, end);
    statistics::Partial part;
    reducer->reduce(
        elements.subspan(first * bytes, (end - first) * bytes),
        {.of = [first](std::int64_t i) { return static_cast<std::int64_t>(first) + i; }}, part);
    all.merge(part);
    end = first;
  }
  return describe(all, spec.type, nan);
}

class ReductionTest : public testing::TestWithParam<ElementType> {};

TEST_P(ReductionTest, IsTheSameOnEveryDeviceInAnyParts) {
  for (const Pattern pattern : {Pattern::any_bits, Pattern::small, Pattern::zeros}) {
    for (const std::size_t count : {1, 17, 5003}) {
      const auto elements = elements_of(GetParam(), count, pattern, count);
      for (const auto nan : {job::NanPolicy::propagate, job::NanPolicy::skip}) {
        const statistics::ReductionSpec spec =
            statistics::spec_of(GetParam(), every_operation(), nan);
        const std::string truth = reduce_at_once("reference", spec, elements, nan);
        EXPECT_EQ(reduce_in_parts("reference", spec, elements, nan), truth);
        for (const DeviceInfo& info : cpu_devices()) {
          EXPECT_EQ(reduce_at_once(info.name, spec, elements, nan), truth) << info.name;
          EXPECT_EQ(reduce_in_parts(info.name, spec, elements, nan), truth) << info.name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ReductionTest, testing::ValuesIn(kTypes), [](const auto& type) {
  return std::string(base::element_name(type.param));
});

TEST(Reduction, FindsTheLowestIndexWhenElementsComeInAnotherOrder) {
  const std::vector<double> values = {1, 5, 1, 5, 3};
  const std::array<std::int64_t, 5> places = {40, 30, 20, 10, 0};
  for (const char* device : {"reference", "cpu"}) {
    const statistics::ReductionSpec spec{.places = true};
    statistics::Partial partial;
    open_reducer(device, spec)
        ->reduce(std::as_bytes(std::span(values)),
                 {.of = [&](std::int64_t i) { return places[static_cast<std::size_t>(i)]; },
                  .in_order = false},
                 partial);
    EXPECT_EQ(partial.at_least.index, 20) << device;
    EXPECT_EQ(partial.at_greatest.index, 10) << device;
  }
}

TEST(Reduction, KeysAreOrderedAsElementsAre) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> ascending = {-infinity, -1e300, -1,   -5e-324, -0.0,
                                         0.0,       5e-324, 1e-5, 2,       infinity};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(statistics::key_of(ascending[i - 1]), statistics::key_of(ascending[i]));
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(statistics::real_of(statistics::key_of(ascending[i]))),
              std::bit_cast<std::uint64_t>(ascending[i]));
  }
  EXPECT_LT(statistics::key_of(std::int64_t{-1}), statistics::key_of(std::int64_t{0}));
  EXPECT_EQ(statistics::signed_of(statistics::key_of(std::int64_t{-7})), -7);
}

TEST(HistogramBins, AreGuessedAsTheyAreFound) {
  std::mt19937_64 random(5);
  for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                  {-3.7, 11.1},
                                  {1e300, 1.5e300},
                                  {0.0, 5e-324},
                                  {1.0, 1.0 + 0x1p-52},
                                  {-1e-323, 1.5e-323},
                                  {1e-320, 1.1e-320}}) {
    for (const std::size_t bins : {1, 3, 10, 1000}) {
      const statistics::HistogramBins histogram(low, high, bins);
      std::vector<double> values(histogram.edges().begin(), histogram.edges().end());
      for (int i = 0; i < 1000; ++i) {
        values.push_back(low + (high - low) * static_cast<double>(random()) * 0x1p-64);
      }
      for (const double edge : histogram.edges()) {
        values.push_back(std::nextafter(edge, low - 1));
        values.push_back(std::nextafter(edge, high + 1));
      }
      for (const double x : values) EXPECT_EQ(histogram.guess(x), histogram.find(x)) << x;
      // Where there are more bins than numbers, edges coincide.
      if (histogram.edges()[1] > low) {
        EXPECT_EQ(histogram.find(low), 0U);
      }
      EXPECT_EQ(histogram.find(high), bins - 1);
      EXPECT_EQ(histogram.find(std::nextafter(high, high + 1e301)),
                statistics::HistogramBins::kOutside);
      EXPECT_EQ(histogram.guess(std::nan("")), statistics::HistogramBins::kOutside);
    }
  }
}

/// From NumPy 1.24, in units of the least f64 there is.
TEST(HistogramBins, HaveTheEdgesOfNumpyWhereAWidthIsTooSmallForANumber) {
  constexpr double kUnit = 5e-324;
  const auto expect_edges = [](int low, int high, const std::vector<int>& edges) {
    const statistics::HistogramBins bins(low * kUnit, high * kUnit, edges.size() - 1);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      EXPECT_EQ(bins.edges()[k], edges[k] * kUnit) << low << " to " << high << ", edge " << k;
    }
  };
  expect_edges(0, 3, {0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3});
  expect_edges(0, 2, {0, 0, 1, 1, 1, 2, 2});
  expect_edges(2, 4, {2, 2, 2, 3, 3, 3, 4, 4, 4});
  // A width that is rounded up: the edges before the last one lie above it.
  expect_edges(0, 15, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 15});
}

TEST(HistogramBins, FindTheLastNumberWhereEdgesLieAboveIt) {
  constexpr double kUnit = 5e-324;
  for (std::size_t bins = 1; bins < 40; ++bins) {
    for (int high = 1; high < 60; ++high) {
      const statistics::HistogramBins histogram(0, high * kUnit, bins);
      for (int x = 0; x <= high; ++x) {
        EXPECT_EQ(histogram.find(x * kUnit), histogram.guess(x * kUnit))
            << x << " of " << high << " in " << bins;
      }
    }
  }
}

TEST(Half, IsWidenedExactly) {
  EXPECT_EQ(statistics::widen_half(0x3c00), 1.0F);
  EXPECT_EQ(statistics::widen_half(0xc000), -2.0F);
  EXPECT_EQ(statistics::widen_half(0x7bff), 65504.0F);
  EXPECT_EQ(statistics::widen_half(0x0001), 0x1p-24F);
  EXPECT_EQ(statistics::widen_half(0x03ff), 1023 * 0x1p-24F);
  EXPECT_EQ(statistics::widen_half(0x0400), 0x1p-14F);
  EXPECT_EQ(statistics::widen_half(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(statistics::widen_half(0x7c01)));
  EXPECT_TRUE(std::signbit(statistics::widen_half(0x8000)));
}

}  // namespace
}  // namespace tessera::device
