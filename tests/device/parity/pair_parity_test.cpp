// Sums of the products of two arrays are those of the reference on every device: all pairs of
// types, elements of every kind, more than one launch.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "parity_devices.hpp"
#include "partial_equality.hpp"
#include "real_elements.hpp"
#include "statistics/generated_elements.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

using PairParity = DeviceTest;

/// Products of two arrays, alone and beside what is wanted of the first.
void expect_pair_parity(const std::string& device, statistics::ReductionSpec spec,
                        const Elements& x, const Elements& y, const std::string& what) {
  const statistics::Indexing indexing{.of = [](std::int64_t i) { return 3 + i; }};
  spec.products = true;
  for (const bool skip_nan : {false, true}) {
    spec.skip_nan = skip_nan;
    statistics::Partial truth, got, alone;
    open_reducer("reference", spec)->reduce_pairs(x, y, indexing, spec, truth);
    const auto reducer = open_reducer(device, spec);
    reducer->reduce_pairs(x, y, indexing, spec, got);
    expect_equal(got, truth, what);
    reducer->add_pairs(x, y, spec, alone.pairs);
    statistics::Partial only_pairs;
    only_pairs.pairs = truth.pairs;
    expect_equal(alone, only_pairs, what + ", alone");
  }
}

TEST_P(PairParity, of_any_types) {
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

TEST_P(PairParity, of_elements_that_are_hard) {
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

/// The one product of an integer with a float has the sign of IEEE's, also where it is zero.
template <class Integer>
void expect_signs_of_ieee(const std::string& device, ElementType type) {
  for (const int a : {-3, 0, 5}) {
    if (a < 0 && std::is_unsigned_v<Integer>) continue;
    const auto integer = static_cast<Integer>(a);
    for (const double b : {0.0, -0.0, 2.0, -2.0}) {
      Elements x(sizeof integer), y(sizeof b);
      std::memcpy(x.data(), &integer, sizeof integer);
      std::memcpy(y.data(), &b, sizeof b);
      const statistics::ReductionSpec there{
          .type = type, .products = true, .with_type = ElementType::f64};
      const statistics::ReductionSpec back{
          .type = ElementType::f64, .products = true, .with_type = type};
      statistics::PairSums sums, swapped;
      open_reducer(device, there)->add_pairs(x, y, there, sums);
      open_reducer(device, back)->add_pairs(y, x, back, swapped);
      for (const double got : {sums.reals.rounded(), swapped.reals.rounded()}) {
        EXPECT_EQ(got, a * b);
        EXPECT_EQ(std::signbit(got), std::signbit(a * b))
            << a << " (" << base::element_name(type) << ") times " << b;
      }
    }
  }
}

TEST_P(PairParity, of_zeros_has_the_sign_of_ieee) {
  expect_signs_of_ieee<std::int8_t>(GetParam(), ElementType::i8);
  expect_signs_of_ieee<std::uint16_t>(GetParam(), ElementType::u16);
  expect_signs_of_ieee<std::int32_t>(GetParam(), ElementType::i32);
  expect_signs_of_ieee<std::int64_t>(GetParam(), ElementType::i64);
  expect_signs_of_ieee<std::uint64_t>(GetParam(), ElementType::u64);
}

TEST_P(PairParity, of_more_than_a_launch) {
  const std::size_t count = (std::size_t{33} << 20) / 5 + 3;
  expect_pair_parity(GetParam(),
                     {.type = ElementType::i8, .extremes = true, .with_type = ElementType::i32},
                     any_bits(ElementType::i8, count, 1), any_bits(ElementType::i32, count, 2), "");
}

TEST_P(PairParity, of_arrays_that_it_makes_itself) {
  const job::ArrayInput x = job::parse_array_input("random:normal?count=90001&dtype=f4");
  const job::ArrayInput y = job::parse_array_input("random:uniform?count=90001&dtype=i8&seed=4");
  const statistics::ReductionSpec spec{
      .type = x.type, .sum = true, .products = true, .with_type = y.type};
  const auto reducer = open_reducer(GetParam(), spec);
  if (!reducer->generates(x) || !reducer->generates(y)) return;
  const statistics::Indexing indexing{.of = [](std::int64_t i) { return i; }};
  Elements x_elements(90001 * 4), y_elements(std::size_t{90001} * 8);
  statistics::generate(x, 0, x_elements);
  statistics::generate(y, 0, y_elements);
  statistics::Partial truth, got;
  open_reducer("reference", spec)->reduce_pairs(x_elements, y_elements, indexing, spec, truth);
  reducer->reduce_generated_pairs({x, 0, 90001}, {y, 0, 90001}, indexing, spec, got);
  expect_equal(got, truth, "made");
}

INSTANTIATE_TEST_SUITE_P(Devices, PairParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
