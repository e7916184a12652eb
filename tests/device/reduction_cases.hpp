// What tests of reductions reduce, and all that can be said of what comes out.
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "statistics/answers.hpp"
#include "statistics/partial.hpp"

namespace tessera::device {

using base::ElementType;
using Elements = std::vector<std::byte>;

inline constexpr std::array kTypes = {ElementType::i8,  ElementType::i16, ElementType::i32,
                                      ElementType::i64, ElementType::u8,  ElementType::u16,
                                      ElementType::u32, ElementType::u64, ElementType::f16,
                                      ElementType::f32, ElementType::f64};

inline Elements any_bits(ElementType type, std::size_t count, std::mt19937_64& random) {
  Elements bytes(count * base::element_bytes(type));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline Elements any_bits(ElementType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return any_bits(type, count, random);
}

inline std::vector<job::Operation> every_operation() {
  std::vector<job::Operation> all;
  for (std::size_t i = 0; i < job::operation_names().size(); ++i) {
    all.push_back(static_cast<job::Operation>(i));
  }
  return all;
}

/// All answers and counts, as one text.
inline std::string describe(const statistics::Partial& partial, ElementType type,
                            job::NanPolicy nan) {
  std::string text =
      fmt::format("{} elements, {} nan, {} +inf, {} -inf", partial.elements, partial.nans,
                  partial.positive_infinities, partial.negative_infinities);
  for (const job::Operation operation : every_operation()) {
    text += fmt::format("; {}", job::operation_name(operation));
    for (const statistics::Value& value :
         statistics::answer(operation, partial, type, {.nan = nan})) {
      text += " " + value.text;
    }
  }
  return text;
}

}  // namespace tessera::device
