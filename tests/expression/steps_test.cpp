// What is too long, has too many values at a time or too many arrays for a device.
#include "expression/steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluated.hpp"

namespace tessera::expression {
namespace {

std::vector<TestArray> arrays_of(int count) {
  std::vector<TestArray> arrays;
  for (int i = 0; i < count; ++i) {
    arrays.push_back({.array = {fmt::format("x{}", i), base::ElementType::f64}});
  }
  return arrays;
}

std::optional<Steps> steps_of_text(const std::string& text, int arrays) {
  return steps_of(parsed(text, arrays_of(arrays)));
}

/// A sum of arrays, from the right: all of them are loaded before the first addition.
std::string nested_sum(int arrays, const std::string& form) {
  std::string text = "x0";
  for (int i = 1; i < arrays; ++i) text = fmt::format(fmt::runtime(form), i, text);
  return text;
}

TEST(Steps, are_at_most_so_many) {
  Program program = parsed("x0", arrays_of(1));
  const auto add_negation = [&program] {
    Node negate{.op = Op::negate};
    negate.arguments[0] = static_cast<int>(program.nodes.size()) - 1;
    program.nodes.push_back(negate);
  };
  while (program.nodes.size() < TS_MAP_STEPS) add_negation();
  const auto most = steps_of(program);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->steps.size(), TS_MAP_STEPS);
  add_negation();
  EXPECT_FALSE(steps_of(program));
}

TEST(Steps, compute_once_what_several_expressions_have_in_common) {
  std::vector<Program> programs = {parsed("sqrt(x0*x0 + x1*x1)", arrays_of(2)),
                                   parsed("x0 / sqrt(x0*x0 + x1*x1)", arrays_of(2))};
  const auto both = steps_of(join(programs));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->steps.size(), steps_of(programs[1])->steps.size());
  ASSERT_EQ(both->results.size(), 2U);
  EXPECT_EQ(both->results[1].value, both->steps.back().result);
  EXPECT_NE(both->results[0].value, both->results[1].value);
  programs.resize(TS_MAP_RESULTS, programs.front());
  EXPECT_TRUE(steps_of(join(programs)));
  programs.push_back(programs.front());
  EXPECT_FALSE(steps_of(join(programs)));
}

TEST(Steps, have_at_most_so_many_registers) {
  const auto nested = [](int depth) {
    std::string text = "x0";
    for (int i = 1; i < depth; ++i) text = fmt::format("({}*x0 - {})", i + 1, text);
    return text;
  };
  EXPECT_TRUE(steps_of_text(nested(20), 1));
  int depth = 20;
  while (steps_of_text(nested(depth + 1), 1)) ++depth;
  std::uint32_t highest = 0;
  const auto most = steps_of_text(nested(depth), 1);
  ASSERT_TRUE(most);
  for (const kernels::TsStep& step : most->steps) highest = std::max(highest, step.result);
  EXPECT_EQ(highest, TS_MAP_REGISTERS - 1);
}

TEST(Steps, load_at_most_so_many_arrays) {
  const int most = TS_MAP_ARRAYS;
  EXPECT_TRUE(steps_of_text(nested_sum(most, "x{} + {}"), most));
  EXPECT_FALSE(steps_of_text(nested_sum(most + 1, "x{} + {}"), most + 1));
  EXPECT_TRUE(steps_of_text(nested_sum(most - 1, "x{} + {}") + " + index", most - 1));
  EXPECT_FALSE(steps_of_text(nested_sum(most, "x{} + {}") + " + index", most));
}

TEST(Steps, extend_integers_of_one_size_to_the_type_of_each_operation) {
  const std::vector<TestArray> arrays = {array_of<std::int8_t>("a", base::ElementType::i8, {-1})};
  const auto steps = steps_of(parsed("f8(u1(a)) + a", arrays));
  ASSERT_TRUE(steps);
  const auto is_cast = [](const kernels::TsStep& step) {
    return step.operation == kernels::TS_ON_cast && step.to == 4 && step.type == 0;
  };
  EXPECT_EQ(std::ranges::count_if(steps->steps, is_cast), 1);
}

}  // namespace
}  // namespace tessera::expression
