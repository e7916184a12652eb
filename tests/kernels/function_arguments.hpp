// Arguments of functions for tests: random ones from each region in which a method has to be right,
// and special ones.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/functions/functions.hpp"

namespace tessera::kernels::functions {

struct Arguments {
  std::vector<double> x, y;
};

inline int times() {
  const char* const text = std::getenv("TESSERA_SOAK");
  return text ? std::stoi(text) : 1;
}

class Chance {
 public:
  explicit Chance(unsigned which) {
    const char* const seed = std::getenv("TESSERA_SEED");
    random_.seed(seed ? std::stoul(seed) * 64 + which : which);
  }

  std::uint64_t bits() { return random_(); }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  /// Any sign, and an exponent from `low` to `high` - 1.
  double any_exponent(int low, int high) {
    const int exponent = static_cast<int>(std::floor(uniform(low, high)));
    const double size = std::ldexp(uniform(1, 2), exponent);
    return (random_() & 1) != 0 ? size : -size;
  }
  double near_quarter_turn() {
    constexpr double kQuarter = 1.5707963267948966;
    const double turns = std::floor(uniform(-1e6, 1e6));
    return std::nextafter(turns * kQuarter, uniform(-1, 1) * 1e9);
  }

 private:
  std::mt19937_64 random_;
};

inline constexpr int kRegimes = 14;

inline double draw(Chance& chance, int regime) {
  switch (regime) {
    case 0:
      return chance.uniform(-1, 1);
    case 1:
      return chance.uniform(-40, 40);
    case 2:
      return chance.uniform(-750, 750);
    case 3:
      return chance.uniform(-1100, 1100);  // exp2
    case 4:
      return chance.uniform(0, 3);
    case 5:
      return chance.any_exponent(-60, 10);
    case 6:
      return 1 + chance.any_exponent(-52, -1);
    case 7:
      return chance.near_quarter_turn();
    case 8:
      return chance.any_exponent(20, 60);
    case 9:
      return chance.any_exponent(1000, 1024);
    case 10:
      return chance.any_exponent(-1075, -1020);
    case 11:
      return (chance.bits() & 1 ? -744 : 709) + chance.uniform(-1.2, 1.2);  // limits of exp
    case 12:
      return chance.any_exponent(-30, -20);  // where shortcuts begin
    default:
      return chance.any_exponent(-1075, 1024);
  }
}

/// A second argument that belongs to a first one.
inline double draw_second(Chance& chance, Function function, int regime, double x) {
  if (function == Function::pow) {
    switch (regime % 4) {
      case 0:
        return chance.uniform(-300, 300);
      case 1:
        return chance.uniform(-5, 5);
      case 2:
        return chance.any_exponent(-20, 60);
      default:
        return chance.uniform(700, 750) / std::log(std::fabs(x)) * (chance.bits() & 1 ? 1 : -1);
    }
  }
  switch (regime % 3) {
    case 0:
      return x * chance.any_exponent(-35, 35);
    case 1:
      return x * (1 + chance.any_exponent(-30, -2));
    default:
      return draw(chance, static_cast<int>(chance.bits() % kRegimes));
  }
}

inline Arguments random_arguments(Function function, std::size_t count, unsigned seed) {
  Chance chance(seed);
  Arguments arguments;
  for (std::size_t i = 0; i < count; ++i) {
    const int regime = static_cast<int>(i % kRegimes);
    double x = draw(chance, regime);
    // Most powers of negative numbers are NaN.
    if (function == Function::pow && i % 8 != 0) x = std::fabs(x);
    arguments.x.push_back(x);
    arguments.y.push_back(
        draw_second(chance, function, regime / 2 + static_cast<int>(i / kRegimes), x));
  }
  return arguments;
}

/// Every pair of them is tried.
inline std::vector<double> special_numbers() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> numbers;
  for (const double size : {0.0,
                            Limits::denorm_min(),
                            Limits::min(),
                            std::nextafter(Limits::min(), 0),
                            0x1p-60,
                            0x1p-28,
                            0.25,
                            0.5,
                            std::nextafter(1.0, 0),
                            1.0,
                            std::nextafter(1.0, 2),
                            1.5,
                            2.0,
                            3.0,
                            709.782712893384,
                            709.7827128933841,
                            745.1332191019411,
                            745.1332191019412,
                            1023.0,
                            1024.0,
                            1074.0,
                            1075.0,
                            0x1p28,
                            0x1p51 + 0.5,
                            0x1p52 + 1,
                            0x1p53 - 1,
                            0x1p53,
                            0x1p53 + 2,
                            1e22,
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN()}) {
    numbers.push_back(size);
    numbers.push_back(-size);
  }
  return numbers;
}

inline Arguments special_pairs() {
  const std::vector<double> numbers = special_numbers();
  Arguments pairs;
  for (const double x : numbers) {
    for (const double y : numbers) {
      pairs.x.push_back(x);
      pairs.y.push_back(y);
    }
  }
  return pairs;
}

/// Random and special arguments for comparisons of bits.
inline Arguments all_arguments(Function function, std::size_t count) {
  Arguments all = random_arguments(function, count, static_cast<unsigned>(function));
  const Arguments pairs = special_pairs();
  all.x.insert(all.x.end(), pairs.x.begin(), pairs.x.end());
  all.y.insert(all.y.end(), pairs.y.begin(), pairs.y.end());
  return all;
}

inline std::vector<double> defined_values(Function function, const Arguments& arguments) {
  std::vector<double> values;
  for (std::size_t i = 0; i < arguments.x.size(); ++i) {
    values.push_back(call(function, arguments.x[i], arguments.y[i]));
  }
  return values;
}

/// The first argument whose values differ in their bits, as text; empty if there is none.
template <class T>
std::string first_difference(const std::vector<T>& values, const std::vector<T>& defined,
                             const Arguments& arguments) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::bit_cast<Bits>(values[i]) == std::bit_cast<Bits>(defined[i])) continue;
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), "(%a, %a): %a instead of %a", arguments.x[i],
                  arguments.y[i], static_cast<double>(values[i]), static_cast<double>(defined[i]));
    return text.data();
  }
  return {};
}

}  // namespace tessera::kernels::functions
