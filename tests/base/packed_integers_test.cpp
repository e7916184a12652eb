#include "base/packed_integers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

#include "base/radix_sort.hpp"

namespace tessera::base {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(PackedIntegers, AreTheSameBehindAndBeforeOthers) {
  const std::vector<std::vector<std::uint64_t>> all = {
      {}, {7}, {kMax}, {5, 5, 5}, {1000, 1255}, {1000, 1256}, {0, kMax, 3}, {kMax - 1, kMax}};
  ByteWriter to;
  for (const auto& values : all) put_packed(values, to);
  const Bytes bytes = to.take();
  ByteReader from(bytes);
  for (const auto& values : all) EXPECT_EQ(get_packed(from), values);
  EXPECT_TRUE(from.empty());
}

TEST(PackedIntegers, TakeTheBytesOfTheirDifferences) {
  const auto bytes_of = [](std::uint64_t least, std::uint64_t range) {
    std::vector<std::uint64_t> values(1000, least);
    values.back() += range;
    ByteWriter to;
    put_packed(values, to);
    return to.size() / values.size();
  };
  EXPECT_EQ(bytes_of(1, 0), 0);
  EXPECT_EQ(bytes_of(kMax - 255, 255), 1);
  EXPECT_EQ(bytes_of(9, 256), 2);
  EXPECT_EQ(bytes_of(9, std::uint64_t{1} << 40), 6);
  EXPECT_EQ(bytes_of(kMax - 9, 50), 1) << "some of them negative";
}

TEST(PackedIntegers, ThatAreCutOffAreAnError) {
  ByteWriter to;
  put_packed(std::vector<std::uint64_t>{1, 1000, 70}, to);
  const Bytes bytes = to.take();
  ByteReader from(std::span<const std::byte>(bytes).first(bytes.size() - 1));
  EXPECT_THROW(get_packed(from), Error);
}

TEST(RadixSort, IsStable) {
  struct Element {
    std::uint64_t key;
    std::size_t number;
    bool operator==(const Element&) const = default;
  };
  std::mt19937_64 random(3);
  for (const std::size_t count :
       {std::size_t{0}, kInsertionSortMax, kInsertionSortMax + 1, std::size_t{50000}}) {
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{3000}, kMax}) {
      std::vector<Element> elements(count);
      for (std::size_t i = 0; i < count; ++i) elements[i] = {kMax - random() % range, i};
      std::vector<Element> truth = elements;
      std::ranges::stable_sort(truth, {}, &Element::key);
      radix_sort(elements, &Element::key);
      EXPECT_EQ(elements, truth) << count << " elements, " << range << " keys";
    }
  }
}

}  // namespace
}  // namespace tessera::base
