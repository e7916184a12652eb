#include "statistics/output_partials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "statistics/operations.hpp"

namespace tessera::statistics {
namespace {

using base::ElementType;

const OutputSpec kReals{.spec = {.type = ElementType::f64,
                                 .sum = true,
                                 .absolute = true,
                                 .squares = true,
                                 .extremes = true,
                                 .places = true,
                                 .nonzero = true},
                        .bins = HistogramBins(0, 3, 3)};

/// What comes of these numbers, without the histogram; `first`: the index of the first one.
Partial partial_of(const std::vector<double>& numbers, std::int64_t first) {
  Partial one;
  for (const double x : numbers) {
    const std::int64_t index = first + one.elements++;
    one.nonzero += x != 0;
    if (std::isnan(x)) {
      ++one.nans;
      one.first_nan = std::min(one.first_nan, index);
      continue;
    }
    if (std::isinf(x)) ++(x > 0 ? one.positive_infinities : one.negative_infinities);
    one.least = std::min(one.least, key_of(x));
    one.greatest = std::max(one.greatest, key_of(x));
    one.offer_least({key_of(x == 0 ? 0.0 : x), index});
    one.offer_greatest({key_of(x == 0 ? 0.0 : x), index});
    if (std::isinf(x)) continue;
    one.sum.add(x);
    one.absolute.add(std::abs(x));
    one.squares.add_product(x, x);
  }
  return one;
}

/// Every answer along axes.
std::vector<std::string> answers(const Partial& one, const ReductionSpec& spec) {
  std::vector<std::string> texts;
  for (const job::OperationRow& row : job::operations()) {
    if (!row.along_axes || row.arrays == 2) continue;
    for (const Value& value : answer(row.operation, one, spec, 0)) texts.push_back(value.text);
  }
  return texts;
}

OutputPartials only(const Partial& one, std::int64_t output) {
  OutputPartials all;
  all.reset(kReals, 3);
  all.elements = one.elements;
  all.put(kReals, output, one);
  return all;
}

Partial with_specials(Partial one) {
  add_specials(kReals.spec, one);
  return one;
}

TEST(OutputPartials, give_back_what_was_put) {
  for (const auto& numbers : {std::vector<double>{1.5, -2.0, 0.0, 7e300},
                              {-0.0, -0.0},
                              {1, INFINITY, -3},
                              {2, NAN, 5, NAN}}) {
    const Partial one = partial_of(numbers, 10);
    EXPECT_EQ(answers(only(one, 1).partial(kReals, 1), kReals.spec),
              answers(with_specials(one), kReals.spec));
  }
}

TEST(OutputPartials, merge_as_partial_results_do) {
  const Partial a = partial_of({1, 2, -4, 1e-300}, 0);
  const Partial b = partial_of({-4, NAN, 2, INFINITY, 0}, 4);
  OutputPartials both = only(a, 2);
  OutputPartials other = only(b, 2);
  other.histogram[8] = 5;
  both.histogram[8] = 2;
  both.merge(other);
  Partial truth = a;
  truth.merge(b);
  EXPECT_EQ(answers(both.partial(kReals, 2), kReals.spec),
            answers(with_specials(truth), kReals.spec));
  EXPECT_EQ(both.partial(kReals, 2).nans, 1);
  EXPECT_EQ(both.partial(kReals, 2).at_least.index, 2);
  EXPECT_EQ(both.histogram[8], 7);
  EXPECT_EQ(both.partial(kReals, 0).nonzero, 0);
}

TEST(OutputPartials, are_read_as_they_were_written) {
  const Partial one = partial_of({3, -1, NAN}, 0);
  OutputPartials all = only(one, 0);
  all.histogram[1] = 4;
  base::ByteWriter out;
  all.write(out);
  const base::Bytes bytes = out.take();
  base::ByteReader in(bytes);
  OutputPartials read;
  read.read(in);
  EXPECT_EQ(read.outputs, 3);
  EXPECT_EQ(read.elements, 3);
  EXPECT_EQ(read.histogram, all.histogram);
  EXPECT_EQ(answers(read.partial(kReals, 0), kReals.spec),
            answers(all.partial(kReals, 0), kReals.spec));
}

TEST(OutputPartials, have_no_components_that_nobody_wants) {
  OutputPartials all;
  all.reset({.spec = {.type = ElementType::f64, .sum = true}, .bins = {}}, 5);
  EXPECT_EQ(all.sum.outputs(), 5);
  EXPECT_EQ(all.squares.outputs(), 0);
  EXPECT_TRUE(all.nans.empty());
  EXPECT_TRUE(all.least.empty());
  EXPECT_TRUE(all.at_least.empty());
  EXPECT_TRUE(all.integers.empty());
  EXPECT_TRUE(all.histogram.empty());
  all.reset({.spec = {.type = ElementType::i16, .sum = true, .places = true}, .bins = {}}, 5);
  EXPECT_EQ(all.sum.outputs(), 0);
  EXPECT_EQ(all.integers.size(), 5U);
  EXPECT_EQ(all.first_nan, std::vector<std::int64_t>(5, ExtremeIndex::kNowhere));
}

TEST(OutputPartials, bound_their_bytes_by_what_is_wanted) {
  const std::uint64_t counts = 3 * sizeof(std::int64_t);
  EXPECT_EQ(OutputPartials::bytes_each({.spec = {}, .bins = {}}), counts);
  EXPECT_EQ(OutputPartials::bytes_each({.spec = {.extremes = true}, .bins = {}}),
            counts + 2 * sizeof(OrderKey));
  EXPECT_EQ(OutputPartials::bytes_each({.spec = {.squares = true}, .bins = HistogramBins(0, 1, 9)}),
            counts + sizeof(kernels::SquareAccumulator) + 9 * sizeof(std::int64_t));
  EXPECT_EQ(OutputPartials::bytes_each(
                {.spec = {.type = ElementType::i8, .sum = true, .squares = true}, .bins = {}}),
            counts + sizeof(IntegerSums));
}

}  // namespace
}  // namespace tessera::statistics
