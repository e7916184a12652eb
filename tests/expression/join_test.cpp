// Programs that are evaluated together have the bits of each alone, and share what they can.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "random_expressions.hpp"
#include "tests/store/image/chance.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kLongest = 2200;  // more than two blocks of the longest

std::vector<Bytes> evaluated_together(const std::vector<Program>& programs,
                                      const std::vector<TestArray>& arrays, std::size_t count) {
  std::vector<const std::byte*> inputs;
  for (const TestArray& one : arrays) inputs.push_back(one.bytes.data());
  std::vector<Bytes> results;
  for (const Program& program : programs) {
    results.emplace_back(count * base::element_bytes(element_of(program.type)));
  }
  std::vector<std::byte*> to;
  for (Bytes& bytes : results) to.push_back(bytes.data());
  const auto side = static_cast<std::int64_t>(count);
  make_block_evaluator(programs)->evaluate(inputs, {{side}, {0}, {side}}, count, to);
  return results;
}

void expect_same_together(const std::vector<std::string>& texts,
                          const std::vector<TestArray>& arrays) {
  std::vector<Program> programs;
  for (const std::string& text : texts) {
    try {
      programs.push_back(parsed(text, arrays));
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): types that do not mix
    }
  }
  if (programs.empty()) return;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{77}, kLongest}) {
    std::vector<Bytes> found = evaluated_together(programs, arrays, count);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      Bytes wanted = evaluated(programs[i], arrays, count, &make_plain_evaluator);
      make_nans_equal(programs[i].type, wanted);
      make_nans_equal(programs[i].type, found[i]);
      EXPECT_EQ(found[i] == wanted, true)
          << texts[0] << "; " << texts[1] << ": " << i << " of " << count;
    }
  }
}

std::vector<TestArray> random_arrays(std::mt19937& random) {
  std::vector<TestArray> arrays;
  for (const std::string name : {"a", "b", "c"}) {
    arrays.push_back(random_array(name, static_cast<ElementType>(random() % 11), kLongest, random));
  }
  return arrays;
}

TEST(Join, has_the_bits_of_each_program) {
  auto random = store::chance(73);
  for (int i = 0; i < 300 * store::times(); ++i) {
    const std::vector<TestArray> arrays = random_arrays(random);
    const std::string x = RandomExpression(random).text(2);
    const std::string y = RandomExpression(random).text(2);
    expect_same_together({x, y, fmt::format("sqrt({} * {})", x, y), fmt::format("{} + {}", y, x)},
                         arrays);
  }
}

TEST(Join, has_results_that_are_no_operation_or_there_twice) {
  auto random = store::chance(74);
  std::vector<TestArray> arrays;
  for (const std::string name : {"a", "b"}) {
    arrays.push_back(random_array(name, ElementType::f64, kLongest, random));
  }
  expect_same_together({"a", "a", "3", "a + b", "a + b", "(a + b) * 2", "b"}, arrays);
}

TEST(Join, computes_what_is_common_once) {
  const std::vector<TestArray> arrays = {array_of<double>("u", ElementType::f64, {1}),
                                         array_of<double>("v", ElementType::f64, {2})};
  const auto roots_in = [&](const std::vector<std::string>& texts) {
    std::vector<Program> programs;
    for (const std::string& text : texts) programs.push_back(parsed(text, arrays));
    const Program joined = fuse(join(programs));
    return std::ranges::count_if(joined.nodes, [](const Node& node) {
      return node.op == Op::square_root || node.op == Op::multiply_add_root ||
             node.op == Op::add_products_root;
    });
  };
  EXPECT_EQ(roots_in({"sqrt(u*u + v*v)", "u / sqrt(u*u + v*v)", "v / sqrt(u*u + v*v)"}), 1);
  EXPECT_EQ(roots_in({"sqrt(u*u + v*v)", "sqrt(u*u - v*v)"}), 2);
}

}  // namespace
}  // namespace tessera::expression
