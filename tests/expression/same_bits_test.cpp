// The block evaluator has the bits of the plain one, on each instruction set of this machine.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "random_expressions.hpp"
#include "tests/store/image/chance.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;

constexpr std::size_t kMaxElements = 2200;  // more than two blocks of f8

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

/// By blocks that are shown one after the other.
std::vector<std::byte> visited(const Program& program, const std::vector<TestArray>& arrays,
                               std::size_t count) {
  std::vector<const std::byte*> inputs;
  for (const TestArray& one : arrays) inputs.push_back(one.bytes.data());
  std::vector<std::byte> all;
  const std::size_t bytes_each = base::element_bytes(element_of(program.type));
  const auto side = static_cast<std::int64_t>(count);
  make_block_evaluator(program)->visit(inputs, {{side}, {0}, {side}}, count,
                                       [&](std::size_t first, std::span<const std::byte> elements) {
                                         EXPECT_EQ(first * bytes_each, all.size());
                                         all.insert(all.end(), elements.begin(), elements.end());
                                       });
  return all;
}

void expect_same(const Program& program, const std::vector<TestArray>& arrays, std::size_t count,
                 const std::string& text) {
  auto wanted = evaluated(program, arrays, count, &make_plain_evaluator);
  make_nans_equal(program.type, wanted);
  for (const std::int64_t set : instruction_sets()) {
    const OneInstructionSet only(set);
    auto found = evaluated(program, arrays, count, &make_block_evaluator);
    make_nans_equal(program.type, found);
    EXPECT_EQ(found == wanted, true) << text << " of " << count << " on " << hwy::TargetName(set);
    found = visited(program, arrays, count);
    make_nans_equal(program.type, found);
    EXPECT_EQ(found == wanted, true) << text << " of " << count << " in blocks";
  }
}

TEST(SameBits, of_random_expressions) {
  auto random = store::chance(72);
  int programs = 0;
  for (int i = 0; i < 1500 * store::times(); ++i) {
    std::vector<TestArray> arrays;
    for (const std::string name : {"a", "b", "c"}) {
      arrays.push_back(random_array(name, kMaxElements, random));
    }
    const std::string text = RandomExpression(random).text(1 + static_cast<int>(random() % 3));
    Program program;
    try {
      program = parsed(text, arrays);
    } catch (const base::Error&) {
      continue;  // the types do not mix
    }
    ++programs;
    const std::vector<std::size_t> counts = {1, 63, 64, 65, 511, 1057, kMaxElements};
    expect_same(program, arrays, counts[random() % counts.size()], text);
  }
  EXPECT_GT(programs, 500 * store::times());
}

TEST(SameBits, of_expressions_that_are_fused) {
  auto random = store::chance(73);
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::f16}) {
    std::vector<TestArray> arrays;
    for (const std::string name : {"a", "b", "c"})
      arrays.push_back(random_array(name, type, kMaxElements, random));
    for (const std::string text :
         {"a*b + c", "c + a*b", "a*b - c", "sqrt(a*a + b*b)", "where(a < b, a, c) * 2",
          "where(a >= b, 1, 2)", "where(a == b, a, b)", "where(a != 0, b/a, nan)", "a*b + 1", "a",
          "2", "a*b*c + a*b", "a*b - b*c", "a*b + c*c", "sqrt(a*b + c*c)", "sqrt(a*b - c*c)",
          "where(a < b, a, b) + (a < b)"}) {
      expect_same(parsed(text, arrays), arrays, kMaxElements, text);
    }
  }
}

}  // namespace
}  // namespace tessera::expression
