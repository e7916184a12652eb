#include "reduce/input/unpack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reduce/input/presence.hpp"

namespace tessera::reduce {
namespace {

constexpr base::MissingMarkers kMarkers{.fill = 7, .range = 9};

TEST(Unpack, RoundsTwiceInBlocksOfAnySize) {
  ElementRule rule{.stored = base::ElementType::i16,
                   .seen = base::ElementType::i16,
                   .value = base::ElementType::f64,
                   .scale = 0.01,
                   .offset = 273.15,
                   .missing_integers = {5}};
  for (const std::size_t count : {1U, 1023U, 1024U, 1025U, 3000U}) {
    std::vector<std::int16_t> stored(count);
    for (std::size_t i = 0; i < count; ++i) stored[i] = static_cast<std::int16_t>(i * 7);
    stored.back() = 5;
    std::vector<double> values(count);
    unpack(rule, std::as_bytes(std::span(stored)), std::as_writable_bytes(std::span(values)));
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const volatile double product = stored[i] * 0.01;
      ASSERT_EQ(values[i], product + 273.15) << i;
    }
    EXPECT_TRUE(std::isnan(values.back()));
  }
}

TEST(Unpack, TellsNanThatAreElementsFromMarkers) {
  const MadeRule made = make_rule({.type = base::ElementType::f64, .shape = {3}},
                                  {.missing = {"-9"}}, MissingAs::no_element);
  ASSERT_TRUE(made.needed && made.rule.markers);
  const std::vector<double> stored = {std::bit_cast<double>(made.rule.markers->fill), -9, 1};
  std::vector<double> values(3);
  unpack(made.rule, std::as_bytes(std::span(stored)), std::as_writable_bytes(std::span(values)));
  const auto counts =
      count_missing(std::as_bytes(std::span(values)), base::ElementType::f64, *made.rule.markers);
  EXPECT_EQ(counts.total(), 1);
  EXPECT_TRUE(std::isnan(values[0]));
}

TEST(Presence, KeepsPlacesAroundTheBitsOfAWord) {
  for (const std::size_t count : {1U, 63U, 64U, 65U, 128U, 1000U}) {
    std::vector<std::uint8_t> elements(count);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < count; ++i) {
      elements[i] = i % 3 == 0 ? 7 : i % 5 == 0 ? 9 : 1;
      if (elements[i] == 1) places.push_back(static_cast<std::int64_t>(i));
    }
    PresentElements present(base::ElementType::u8, kMarkers);
    const auto there = present.take(std::as_bytes(std::span(elements)));
    ASSERT_EQ(there.size(), places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      ASSERT_EQ(present.place(static_cast<std::int64_t>(i)), places[i]);
    }
    EXPECT_EQ(present.missing().total(), std::ssize(elements) - std::ssize(places));
  }
}

}  // namespace
}  // namespace tessera::reduce
