// The block evaluator has the bits of the plain one, on each instruction set of this machine.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "expression/functions.hpp"
#include "tests/store/image/chance.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;

constexpr std::size_t kMostElements = 2200;  // more than two blocks of the longest

class Writer {
 public:
  explicit Writer(std::mt19937& random) : random_(random) {}

  std::string expression(int depth) {
    if (depth == 0) return leaf();
    const auto x = [&] {
      return expression(depth - 1 - static_cast<int>(random_() % 2) * (depth > 1));
    };
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

TestArray random_array(const std::string& name, ElementType type, std::mt19937& random) {
  TestArray made{.array = {name, type}};
  made.bytes.resize(kMostElements * base::element_bytes(type));
  for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(random());
  if (random() % 2 == 0) return made;                // numbers of all sizes, infinities, NaN
  for (std::size_t i = 0; i < kMostElements; ++i) {  // small numbers, many of them equal
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

std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
  const std::int64_t all = hwy::SupportedTargets();
  for (int bit = 0; bit < 63; ++bit) {
    if ((all & (std::int64_t{1} << bit)) != 0) sets.push_back(std::int64_t{1} << bit);
  }
  return sets;
}

/// While it lives, kernels are chosen for this instruction set or a lower one.
class OneInstructionSet {
 public:
  explicit OneInstructionSet(std::int64_t set) { choose(~(set - 1)); }
  ~OneInstructionSet() { choose(0); }
  OneInstructionSet(const OneInstructionSet&) = delete;
  OneInstructionSet& operator=(const OneInstructionSet&) = delete;

 private:
  static void choose(std::int64_t sets) {
    hwy::SetSupportedTargetsForTest(0);
    if (sets != 0) hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & sets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

void expect_same(const Program& program, const std::vector<TestArray>& arrays, std::size_t count,
                 const std::string& text) {
  auto wanted = evaluated(program, arrays, count, &make_plain_evaluator);
  make_nans_equal(program.type, wanted);
  for (const std::int64_t set : instruction_sets()) {
    const OneInstructionSet only(set);
    auto found = evaluated(program, arrays, count, &make_block_evaluator);
    make_nans_equal(program.type, found);
    EXPECT_EQ(found == wanted, true) << text << " of " << count << " on " << hwy::TargetName(set);
  }
}

TEST(SameBits, of_random_expressions) {
  auto random = store::chance(72);
  int programs = 0;
  for (int i = 0; i < 1500 * store::times(); ++i) {
    std::vector<TestArray> arrays;
    for (const std::string name : {"a", "b", "c"}) {
      arrays.push_back(random_array(name, static_cast<ElementType>(random() % 11), random));
    }
    const std::string text = Writer(random).expression(1 + static_cast<int>(random() % 3));
    Program program;
    try {
      program = parsed(text, arrays);
    } catch (const base::Error&) {
      continue;  // the types do not mix
    }
    ++programs;
    const std::vector<std::size_t> counts = {1, 31, 32, 33, 511, 1057, kMostElements};
    expect_same(program, arrays, counts[random() % counts.size()], text);
  }
  EXPECT_GT(programs, 500 * store::times());
}

TEST(SameBits, of_expressions_that_are_fused) {
  auto random = store::chance(73);
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::f16}) {
    std::vector<TestArray> arrays;
    for (const std::string name : {"a", "b", "c"})
      arrays.push_back(random_array(name, type, random));
    for (const std::string text :
         {"a*b + c", "c + a*b", "a*b - c", "sqrt(a*a + b*b)", "where(a < b, a, c) * 2",
          "where(a >= b, 1, 2)", "where(a == b, a, b)", "where(a != 0, b/a, nan)", "a*b + 1", "a",
          "2", "a*b*c + a*b", "where(a < b, a, b) + (a < b)"}) {
      expect_same(parsed(text, arrays), arrays, kMostElements, text);
    }
  }
}

}  // namespace
}  // namespace tessera::expression
