// Expressions and arrays at random, for tests that compare evaluators.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/bools.hpp"
#include "evaluated.hpp"
#include "expression/functions.hpp"

namespace tessera::expression {

/// Of the arrays a, b and c. Many do not parse: their types do not mix.
class RandomExpression {
 public:
  explicit RandomExpression(std::mt19937& random) : random_(random) {}

  std::string text(int depth) {
    if (depth == 0) return leaf();
    const auto x = [&] { return text(depth - 1 - static_cast<int>(random_() % 2) * (depth > 1)); };
    switch (random_() % 5) {
      case 0: {
        if (random_() % 4 == 0) return function();
        const auto name = pick({"-",     "~",        "abs", "sqrt", "floor", "ceil", "rint", "sign",
                                "isnan", "isfinite", "f2",  "f4",   "f8",    "i1",   "i2",   "i4",
                                "i8",    "u1",       "u2",  "u4",   "u8",    "bool"});
        return fmt::format("{}({})", name, x());
      }
      case 1:
        return fmt::format("where({}, {}, {})", x(), x(), x());
      case 2:
        return fmt::format("{}({}, {})", pick({"min", "max"}), x(), x());
      case 3:
        if (random_() % 4 == 0) return fmt::format("fma({}, {}, {})", x(), x(), x());
        if (random_() % 4 == 0) return fmt::format("sqrt({} * {} + {})", x(), x(), x());
        return fmt::format("({} {} {})", x(), pick({"<", "<=", "==", "!=", ">", ">="}), x());
      default:
        return fmt::format("({} {} {})", x(),
                           pick({"+", "-", "*", "*", "+", "/", "//", "%", "&", "|"}), x());
    }
  }

 private:
  /// Any of them, of arrays: few numbers are arguments of all.
  std::string function() {
    const auto rows = functions();
    const Function& row = rows[random_() % rows.size()];
    const std::string x = pick({"a", "b", "c"});
    if (row.arity == 1) return fmt::format("{}({})", row.name, x);
    return fmt::format("{}({}, {})", row.name, x, pick({"a", "b", "c"}));
  }
  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }
  std::string leaf() {
    if (random_() % 5 > 0) return pick({"a", "b", "c"});
    return pick({"1", "2", "0.5", "3", "7", "1e300", "nan", "inf", "index", "index0", "f4(0.1)",
                 "-1", "100"});
  }

  std::mt19937& random_;
};

inline TestArray random_array(const std::string& name, base::ElementType type, std::size_t count,
                              std::mt19937& random) {
  using base::ElementType;
  TestArray made{.array = {name, type}};
  made.bytes.resize(count * base::element_bytes(type));
  for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(random());
  if (random() % 2 == 0) return made;        // numbers of all sizes, infinities, NaN
  for (std::size_t i = 0; i < count; ++i) {  // small numbers, many of them equal
    const int small = static_cast<int>(random() % 9) - 4;
    if (type == ElementType::f64) {
      const double x = small * 0.75;
      std::memcpy(made.bytes.data() + i * sizeof(x), &x, sizeof(x));
    } else if (type == ElementType::f32) {
      const float x = static_cast<float>(small) * 0.75F;
      std::memcpy(made.bytes.data() + i * sizeof(x), &x, sizeof(x));
    } else if (type != ElementType::f16) {
      const auto x = static_cast<std::int64_t>(small);
      std::memcpy(made.bytes.data() + i * base::element_bytes(type), &x, base::element_bytes(type));
    }
  }
  return made;
}

/// Of any type; one of twelve has bools.
inline TestArray random_array(const std::string& name, std::size_t count, std::mt19937& random) {
  constexpr auto kBools = static_cast<unsigned>(base::ElementType::f64) + 1;
  const auto type = random() % (kBools + 1);
  if (type < kBools) {
    return random_array(name, static_cast<base::ElementType>(type), count, random);
  }
  TestArray made = random_array(name, base::ElementType::u8, count, random);
  made.array.is_boolean = true;
  base::make_bools(made.bytes);
  for (std::byte& byte : made.bytes) byte &= static_cast<std::byte>(random());  // few were 0
  return made;
}

}  // namespace tessera::expression
