// Real elements that make exact sums and products hard.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tests/device/reduction_cases.hpp"

namespace tessera::device {

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

inline double normal(std::mt19937_64& random) {
  return std::normal_distribution<double>()(random);
}

inline double either(std::mt19937_64& random, double a, double b) {
  return random() % 2 == 0 ? a : b;
}

struct Data {
  const char* name;
  double (*make)(std::mt19937_64&, std::size_t);
};

/// What makes exact sums hard, and signs of zeros.
inline const std::vector<Data>& kinds_of_data() {
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

}  // namespace tessera::device
