// Reductions over axes: an output is what the elements of it alone make, in whatever shares they
// come.
#include <gtest/gtest.h>

#include "axis_cases.hpp"
#include "device/select/registry.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device {
namespace {

TEST(AxisReduction, IsTheSameInAnyShares) {
  const auto reference = std::move(open_devices("reference", {.threads = 1}).front());
  for (const ElementType type :
       {ElementType::i16, ElementType::u64, ElementType::f16, ElementType::f64}) {
    for (const Case& cut : axis_cases()) {
      const auto elements = elements_of(type, plan::element_count(cut.shape), 4);
      statistics::OutputSpec output_spec{
          .spec = statistics::spec_of(type, every_operation(), job::NanPolicy::propagate)};
      output_spec.bins.emplace(-1.0, 1.0, 5);
      EXPECT_EQ(reduce(*reference, cut, output_spec, elements, 2),
                reduce(*reference, cut, output_spec, elements, 1));
    }
  }
}

TEST(AxisReduction, SumsOfOneOutputAreAnsweredWithoutPartialResults) {
  const std::vector<double> values = {1, 2, 3, 4, 5, -0.0};
  const plan::AxisPlan plan({2, 3}, {true, false}, {2, 3},
                            plan::StorageOrder::last_dimension_fastest);
  const auto cpu = std::move(open_devices("cpu", {.threads = 1}).front());
  const auto reducer = cpu->open_axis_reducer({.spec = {.sum = true}});
  std::vector<double> sums(3), means(3);
  reducer->begin(3);
  reducer->add(std::as_bytes(std::span(values)), plan.piece(0, 0));
  ASSERT_TRUE(reducer->answer(job::Operation::sum, {2}, std::as_writable_bytes(std::span(sums))));
  ASSERT_TRUE(reducer->answer(job::Operation::mean, {2}, std::as_writable_bytes(std::span(means))));
  EXPECT_FALSE(reducer->answer(job::Operation::max, {2}, std::as_writable_bytes(std::span(means))));
  EXPECT_EQ(sums, (std::vector<double>{5, 7, 3}));
  EXPECT_EQ(means, (std::vector<double>{2.5, 3.5, 1.5}));
}

}  // namespace
}  // namespace tessera::device
