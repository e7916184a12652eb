// Sums of integers at the ends of their types, on every device: compared with 128 bits of
// arithmetic here, and not with another device, at sizes on both sides of every block.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "parity_devices.hpp"
#include "tests/device/axis_cases.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

using kernels::Int128;
using kernels::UnsignedInt128;

/// Elements that are `even` and `odd` by turns.
template <class T>
struct Turns {
  T even, odd;
};

/// The ends of a type alone, which make the largest sums, and both by turns.
template <class T>
std::vector<Turns<T>> turns() {
  constexpr T kMin = std::numeric_limits<T>::min(), kGreatest = std::numeric_limits<T>::max();
  return {{kMin, kMin}, {kGreatest, kGreatest}, {kMin, kGreatest}};
}

template <class T>
std::vector<T> elements_in_turns(const Turns<T>& turns, std::size_t count) {
  std::vector<T> elements(count, turns.even);
  for (std::size_t i = 1; i < count; i += 2) elements[i] = turns.odd;
  return elements;
}

template <class T>
UnsignedInt128 magnitude(T x) {
  const auto wide = static_cast<Int128>(x);
  return static_cast<UnsignedInt128>(wide < 0 ? -wide : wide);
}

/// What comes of `count` elements. No square of 64 bits is added in fewer than 128.
struct Expected {
  Int128 sum = 0;
  UnsignedInt128 absolute = 0;
  UnsignedInt128 squares_low = 0, squares_high = 0;
  std::int64_t nonzero = 0;

  template <class T>
  Expected(const Turns<T>& turns, std::size_t count) {
    add(turns.even, count - count / 2);
    add(turns.odd, count / 2);
  }
  template <class T>
  void add(T x, std::size_t count) {
    const UnsignedInt128 square = magnitude(x) * magnitude(x);
    sum += static_cast<Int128>(x) * static_cast<Int128>(count);
    absolute += magnitude(x) * count;
    squares_low += static_cast<UnsignedInt128>(static_cast<std::uint64_t>(square)) * count;
    squares_high += (square >> 64) * count;
    nonzero += x == 0 ? 0 : static_cast<std::int64_t>(count);
  }
};

/// Each as it is wanted.
void expect_sums(const statistics::Partial& got, const statistics::ReductionSpec& spec,
                 const Expected& truth, const std::string& what) {
  const statistics::IntegerSums& sums = got.integers;
  if (spec.sum) {
    EXPECT_TRUE(sums.sum == truth.sum) << what << ": sum";
  }
  if (spec.absolute) {
    EXPECT_TRUE(sums.absolute == truth.absolute) << what << ": sum of magnitudes";
  }
  if (spec.squares) {
    // The value is high * 2^64 + low, however a device shares it out.
    const auto carried = [](UnsignedInt128 low, UnsignedInt128 high) { return high + (low >> 64); };
    EXPECT_TRUE(carried(sums.squares_low, sums.squares_high) ==
                    carried(truth.squares_low, truth.squares_high) &&
                static_cast<std::uint64_t>(sums.squares_low) ==
                    static_cast<std::uint64_t>(truth.squares_low))
        << what << ": sum of squares";
  }
  if (spec.nonzero) {
    EXPECT_EQ(got.nonzero, truth.nonzero) << what << ": nonzero";
  }
}

/// One below, at and one above: blocks of the passes (kBlock, kLongBlockBytes) and a few of them,
/// stretches of counters (kStretch), and the numbers of elements of which sums outgrow 32 bits. A
/// GPU has none of these blocks, and takes a launch for each.
std::vector<std::size_t> sizes(std::size_t element_bytes, bool is_cpu) {
  const std::size_t long_block = (std::size_t{1} << 20) / element_bytes;
  if (!is_cpu) return {1, 65536, 65537, 3 * long_block + 5};
  std::set<std::size_t> sizes = {0, 1, 2, 3};
  for (const std::size_t edge :
       {std::size_t{192}, std::size_t{256}, std::size_t{32768}, std::size_t{65472},
        std::size_t{65536}, std::size_t{131008}, std::size_t{131072}, long_block, 2 * long_block}) {
    sizes.insert({edge - 1, edge, edge + 1});
  }
  sizes.insert(3 * long_block + 5);
  return {sizes.begin(), sizes.end()};
}

/// Passes over long blocks, where only sums are wanted, and over short ones.
std::vector<statistics::ReductionSpec> specs_of(ElementType type, bool is_cpu) {
  std::vector<statistics::ReductionSpec> specs;
  if (!is_cpu)
    return {{.type = type, .sum = true, .absolute = true, .squares = true, .nonzero = true}};
  for (int wanted = 1; wanted < 8; ++wanted) {
    specs.push_back({.type = type,
                     .sum = (wanted & 1) != 0,
                     .absolute = (wanted & 2) != 0,
                     .squares = (wanted & 4) != 0});
  }
  for (const std::size_t i : {std::size_t{0}, std::size_t{6}}) {
    specs.push_back(specs[i]);
    specs.back().extremes = specs.back().nonzero = true;
  }
  specs.push_back({.type = type, .nonzero = true});
  return specs;
}

class FullScale : public DeviceTest {
 protected:
  bool is_cpu() const { return GetParam().starts_with("cpu"); }

  template <class T>
  void expect_whole(ElementType type) {
    const std::vector<std::size_t> counts = sizes(sizeof(T), is_cpu());
    for (const statistics::ReductionSpec& spec : specs_of(type, is_cpu())) {
      const auto reducer = open_reducer(GetParam(), spec);
      for (const Turns<T>& turn : turns<T>()) {
        const std::vector<T> elements = elements_in_turns(turn, counts.back());
        for (const std::size_t count : counts) {
          statistics::Partial got;
          reducer->reduce(std::as_bytes(std::span(elements).first(count)),
                          {.of = [](std::int64_t i) { return i; }}, got);
          const Expected truth(turn, count);
          expect_sums(got, spec, truth,
                      fmt::format("{} times {} and {}", count, turn.even, turn.odd));
          if (HasFailure()) return;
        }
      }
    }
  }

  /// Rows and columns of `extent` elements, as many outputs as there are widths of passes.
  template <class T>
  void expect_along_axes(ElementType type) {
    statistics::OutputSpec output_spec{
        .spec = {.type = type, .sum = true, .absolute = true, .squares = true}};
    for (const std::int64_t outputs : {1, 3, 17, 65}) {
      for (const std::int64_t extent : {63, 64, 65, 1023, 1024, 1025, 2049, 70001}) {
        if (outputs * extent > 1'200'000) continue;
        if (!is_cpu() && (outputs == 3 || extent % 2 == 0)) continue;
        for (const bool rows : {false, true}) {
          const Case cut = rows ? Case{{outputs, extent}, {false, true}, {outputs, extent}}
                                : Case{{extent, outputs}, {true, false}, {extent, outputs}};
          for (const Turns<T>& turn : {turns<T>()[0], turns<T>()[1]}) {
            expect_outputs(cut, output_spec, turn, outputs, extent);
            if (HasFailure()) return;
          }
        }
      }
    }
  }

 private:
  template <class T>
  void expect_outputs(const Case& cut, const statistics::OutputSpec& output_spec,
                      const Turns<T>& turn, std::int64_t outputs, std::int64_t extent) {
    const plan::AxisPlan plan(cut.shape, cut.reduced, cut.piece,
                              plan::StorageOrder::last_dimension_fastest);
    const auto elements = elements_in_turns(turn, static_cast<std::size_t>(outputs * extent));
    const auto reducer = open_axis_reducer(device_named(GetParam()), output_spec);
    reducer->begin(outputs);
    reducer->add(std::as_bytes(std::span(elements)), plan.piece(0, 0));
    reducer->wait();
    reducer->end();
    statistics::OutputPartials found;
    reducer->finish(extent, found);
    for (std::int64_t o = 0; o < outputs; ++o) {
      expect_sums(found.partial(output_spec, o), output_spec.spec,
                  {turn, static_cast<std::size_t>(extent)},
                  fmt::format("output {} of {}, {} times {}", o, outputs, extent, turn.even));
    }
  }
};

TEST_P(FullScale, integers_of_8_bits) {
  expect_whole<std::int8_t>(ElementType::i8);
  expect_whole<std::uint8_t>(ElementType::u8);
}

TEST_P(FullScale, integers_of_16_bits) {
  expect_whole<std::int16_t>(ElementType::i16);
  expect_whole<std::uint16_t>(ElementType::u16);
}

TEST_P(FullScale, integers_of_32_bits) {
  expect_whole<std::int32_t>(ElementType::i32);
  expect_whole<std::uint32_t>(ElementType::u32);
}

TEST_P(FullScale, integers_of_64_bits) {
  expect_whole<std::int64_t>(ElementType::i64);
  expect_whole<std::uint64_t>(ElementType::u64);
}

TEST_P(FullScale, integers_along_axes) {
  expect_along_axes<std::int8_t>(ElementType::i8);
  expect_along_axes<std::uint8_t>(ElementType::u8);
  expect_along_axes<std::int16_t>(ElementType::i16);
  expect_along_axes<std::uint16_t>(ElementType::u16);
  expect_along_axes<std::int32_t>(ElementType::i32);
  expect_along_axes<std::uint32_t>(ElementType::u32);
  expect_along_axes<std::int64_t>(ElementType::i64);
  expect_along_axes<std::uint64_t>(ElementType::u64);
}

/// Sums of `count` times the same product; high * 2^64 + low is the value.
template <class Wide>
void expect_products(const statistics::IntegerProducts& got, Wide product, std::size_t count,
                     const std::string& what) {
  const auto low = static_cast<UnsignedInt128>(static_cast<std::uint64_t>(product)) * count;
  const Int128 high = static_cast<Int128>(product >> 64) * static_cast<Int128>(count) +
                      static_cast<Int128>(low >> 64);
  EXPECT_TRUE(got.high + static_cast<Int128>(got.low >> 64) == high) << what;
  EXPECT_EQ(static_cast<std::uint64_t>(got.low), static_cast<std::uint64_t>(low)) << what;
}

template <class A, class B>
void expect_dot(const std::string& device, ElementType a_type, ElementType b_type) {
  using Wide =
      std::conditional_t<std::is_signed_v<A> || std::is_signed_v<B>, Int128, UnsignedInt128>;
  const statistics::ReductionSpec spec{.type = a_type, .products = true, .with_type = b_type};
  const auto reducer = open_reducer(device, spec);
  for (const A a : {std::numeric_limits<A>::min(), std::numeric_limits<A>::max()}) {
    for (const B b : {std::numeric_limits<B>::min(), std::numeric_limits<B>::max()}) {
      const std::vector<A> x(70001, a);
      const std::vector<B> y(70001, b);
      for (const std::size_t count : {1, 32767, 32768, 32769, 65536, 65537, 70001}) {
        statistics::PairSums sums;
        reducer->add_pairs(std::as_bytes(std::span(x).first(count)),
                           std::as_bytes(std::span(y).first(count)), spec, sums);
        expect_products(sums.integers, static_cast<Wide>(a) * static_cast<Wide>(b), count,
                        fmt::format("{} times {} x {}", count, a, b));
      }
    }
  }
}

TEST_P(FullScale, products_of_integers) {
  expect_dot<std::int8_t, std::int8_t>(GetParam(), ElementType::i8, ElementType::i8);
  expect_dot<std::int16_t, std::int16_t>(GetParam(), ElementType::i16, ElementType::i16);
  expect_dot<std::int32_t, std::int32_t>(GetParam(), ElementType::i32, ElementType::i32);
  expect_dot<std::int64_t, std::int64_t>(GetParam(), ElementType::i64, ElementType::i64);
  expect_dot<std::uint8_t, std::uint8_t>(GetParam(), ElementType::u8, ElementType::u8);
  expect_dot<std::uint16_t, std::uint16_t>(GetParam(), ElementType::u16, ElementType::u16);
  expect_dot<std::uint32_t, std::uint32_t>(GetParam(), ElementType::u32, ElementType::u32);
  expect_dot<std::uint64_t, std::uint64_t>(GetParam(), ElementType::u64, ElementType::u64);
  expect_dot<std::int16_t, std::uint16_t>(GetParam(), ElementType::i16, ElementType::u16);
  expect_dot<std::int64_t, std::uint64_t>(GetParam(), ElementType::i64, ElementType::u64);
}

INSTANTIATE_TEST_SUITE_P(Devices, FullScale, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
