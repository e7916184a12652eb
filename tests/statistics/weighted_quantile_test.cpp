// Passes over pairs find weighted quantiles exactly, whatever the numbers, the weights and the
// memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "statistics/order/order_answers.hpp"
#include "statistics/order/weighted_passes.hpp"

namespace tessera::statistics {
namespace {

using job::Operation;
using job::QuantileMethod;
using Integer = kernels::LongNumber::Integer;

struct Pair {
  double x, weight;
};
using Pairs = std::vector<Pair>;

job::ReduceJob job_of(QuantileMethod method, std::vector<double> quantiles) {
  job::ReduceJob job;
  job.weights.emplace();
  job.operations = {Operation::quantile, Operation::median};
  job.quantile_method = method;
  job.quantiles = std::move(quantiles);
  return job;
}

std::span<const std::byte> bytes_of(std::span<const Pair> pairs) {
  return std::as_bytes(pairs);
}

Partial counts_of(const Pairs& pairs) {
  Partial counts;
  for (const Pair& pair : pairs) {
    ++counts.elements;
    counts.nans += std::isnan(pair.x) || std::isnan(pair.weight) ? 1 : 0;
  }
  return counts;
}

/// In two parts, which travel and are merged.
WeightTally tally_of(const Pairs& pairs, const WeightRequest& request) {
  WeightTally all(request), second(request);
  const std::size_t third = pairs.size() / 3;
  all.add(bytes_of(std::span(pairs).first(third)), request);
  second.add(bytes_of(std::span(pairs).subspan(third)), request);
  all.merge(base::from_bytes<WeightTally>(base::to_bytes(second)), request);
  return all;
}

struct WeightedOutcome {
  OrderFindings findings;
  int passes = 0;
};

WeightedOutcome found_in(const Pairs& pairs, const job::ReduceJob& job, std::uint64_t max_keys,
                         const WeightedSample& sample = {}) {
  const WeightedPasses passes(job, max_keys);
  const Partial counts = counts_of(pairs);
  WeightedOutcome outcome;
  std::optional<WeightRequest> request = passes.first(sample, std::ssize(pairs));
  while (request && outcome.passes < 100) {
    WeightTally tally = tally_of(pairs, *request);
    std::size_t held = 0;
    for (const auto& keys : tally.keys) held += keys.size();
    EXPECT_LE(held, max_keys);
    request = passes.next(*request, tally, counts, outcome.findings);
    ++outcome.passes;
  }
  return outcome;
}

OrderFindings found_at_once(const Pairs& pairs, const job::ReduceJob& job) {
  Partial counts;
  std::vector<WeightedKey> keys;
  for (const Pair& pair : pairs) add_weighted(pair.x, pair.weight, counts, keys);
  return WeightedPasses(job, 0).find_in(keys, counts);
}

/// All of quantiles and the median.
std::vector<double> values_of(const job::ReduceJob& job, const OrderFindings& findings) {
  std::vector<double> values;
  for (const Operation operation : job.operations) {
    for (const Value& value : order_answer(operation, job, base::ElementType::f64, {}, findings)) {
      values.push_back(*value.real);
    }
  }
  return values;
}

/// Pairs in ascending order, as integers in units of 2^-1074.
struct Exact {
  explicit Exact(const Pairs& pairs) {
    Pairs sorted;
    for (const Pair& pair : pairs) {
      if (pair.weight > 0) sorted.push_back(pair);
    }
    std::ranges::sort(sorted, {}, &Pair::x);
    for (const Pair& pair : sorted) {
      x.push_back(scaled(pair.x));
      weights.push_back(scaled(pair.weight));
      sum += weights.back();
      squares += weights.back() * weights.back();
    }
  }
  static Integer scaled(double number) {
    const kernels::LongNumber exact = kernels::LongNumber::of(number);
    return exact.mantissa() << static_cast<unsigned>(exact.exponent() + 1074);
  }

  /// Element by element, as A. Akinshin defines it (arXiv 2304.07265): the mean of the part of the
  /// cumulated weights from l to r, which are h - 1 and h of so many elements as are effective.
  double quantile(const job::WeightedMethod& method, double q) const {
    const auto [place, one] = decimal(q);
    Integer low = place * sum * sum * 24 +
                  squares * (one * (method.alpha - 24) + place * (24 - method.alpha - method.beta));
    const Integer width = squares * one * 24, all = sum * sum * one * 24;
    low = std::clamp(low, Integer(0), Integer(all - width));
    Integer products = 0, before = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Integer after = before + weights[i] * sum * one * 24;
      const Integer begin = std::max(low, before), end = std::min<Integer>(low + width, after);
      if (method.picks && after >= place * sum * sum * 24) return rounded(x[i], 1);
      if (end > begin) products += x[i] * (end - begin);
      before = after;
    }
    return rounded(products, width);
  }
  /// The digits that are printed for q, from 0.001 on, and a power of ten.
  static std::pair<Integer, Integer> decimal(double q) {
    const std::string text = fmt::format("{}", q);
    const std::size_t point = std::min(text.find('.'), text.size());
    Integer digits = 0, one = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i == point) continue;
      digits = digits * 10 + (text[i] - '0');
      if (i > point) one *= 10;
    }
    return {digits, one};
  }
  static double rounded(const Integer& dividend, const Integer& divisor) {
    return kernels::rounded_quotient(kernels::LongNumber(dividend, -1074),
                                     kernels::LongNumber(divisor, 0));
  }

  std::vector<Integer> x, weights;
  Integer sum = 0, squares = 0;
};

std::vector<double> expected_of(const job::ReduceJob& job, const Pairs& pairs) {
  const Exact exact(pairs);
  std::vector<double> values;
  for (const double q : job.quantiles) {
    values.push_back(exact.quantile(*job::find_weighted(job.quantile_method), q));
  }
  values.push_back(exact.quantile(*job::find_weighted(QuantileMethod::linear), 0.5));
  return values;
}

/// Every 20th run of 16 pairs.
WeightedSample sample_of(const Pairs& pairs) {
  WeightedSample sample;
  for (std::size_t at = 0; at + 16 <= pairs.size(); at += 320) {
    auto& run = sample.emplace_back();
    for (const Pair& pair : std::span(pairs).subspan(at, 16)) {
      if (pair.weight > 0) run.push_back({element_key(pair.x), pair.weight});
    }
  }
  return sample;
}

struct PairCase {
  const char* name;
  Pairs pairs;
};

std::vector<PairCase> pair_cases(std::size_t count) {
  std::mt19937_64 random(7);
  const auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto power = [&] { return std::ldexp(1 + real(), static_cast<int>(random() % 400) - 200); };
  const auto made = [&](const auto& make) {
    Pairs pairs(count);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = make(i);
    return pairs;
  };
  return {
      {"random", made([&](std::size_t) {
         return Pair{real() - 0.5, real()};
       })},
      {"equal weights", made([&](std::size_t) {
         return Pair{real(), 0.1};
       })},
      {"few values", made([&](std::size_t) {
         return Pair{double(random() % 5), real()};
       })},
      {"few weights", made([&](std::size_t) {
         return Pair{real(), double(random() % 3)};
       })},
      {"constant", made([&](std::size_t) {
         return Pair{-7, real()};
       })},
      {"one heavy", made([&](std::size_t i) {
         return Pair{real(), i == 99 ? 1e9 : 1};
       })},
      {"ascending", made([&](std::size_t i) {
         return Pair{double(i), 1 / double(i + 1)};
       })},
      {"any magnitude", made([&](std::size_t) {
         return Pair{power() - power(), power()};
       })},
      {"least weights", made([&](std::size_t i) {
         return Pair{real(), i % 2 ? 5e-324 : 1e-320};
       })},
  };
}

void expect_quantiles(const PairCase& given, const job::ReduceJob& job, std::uint64_t max_keys,
                      const WeightedSample& sample = {}) {
  const WeightedOutcome outcome = found_in(given.pairs, job, max_keys, sample);
  EXPECT_EQ(values_of(job, outcome.findings), expected_of(job, given.pairs)) << given.name;
  EXPECT_LE(outcome.passes, 12) << given.name;
}

const std::vector<double> kQuantiles = {0, 0.01, 0.25, 0.5, 0.999, 1};

TEST(WeightedQuantile, FindsQuantilesOfAnyWeightsInAnyMemory) {
  for (const PairCase& given : pair_cases(1001)) {
    for (const job::WeightedMethod& method : job::weighted_methods()) {
      const job::ReduceJob job = job_of(method.method, kQuantiles);
      for (const std::uint64_t max_keys : {16, 1 << 20}) expect_quantiles(given, job, max_keys);
      EXPECT_EQ(values_of(job, found_at_once(given.pairs, job)), expected_of(job, given.pairs))
          << given.name;
    }
  }
}

TEST(WeightedQuantile, FindsQuantilesWhereTheSampleMisleads) {
  const job::ReduceJob job = job_of(QuantileMethod::hazen, kQuantiles);
  for (const PairCase& given : pair_cases(1001)) {
    expect_quantiles(given, job, 64, sample_of(given.pairs));
    expect_quantiles(given, job, 1 << 20, {{{0, 1}, {5, 1e300}}, {{7, 5e-324}}, {}});
    expect_quantiles(given, job, 64, {{{~ElementKey{0} >> 1, 1}}});
  }
}

TEST(WeightedQuantile, FindsMoreQuantilesThanAPassHasRangesFor) {
  std::vector<double> many(300);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i) / 299;
  const PairCase random = pair_cases(1001).front();
  for (const std::size_t count : {127, 128, 300}) {  // of two ends each, and a median
    const job::ReduceJob job =
        job_of(QuantileMethod::linear, {many.begin(), many.begin() + std::ptrdiff_t(count)});
    const WeightedOutcome outcome = found_in(random.pairs, job, 0);
    EXPECT_EQ(values_of(job, outcome.findings), expected_of(job, random.pairs));
  }
}

TEST(WeightedQuantile, ReadsOnceWhatFitsAndSomeTimesWhatDoesNot) {
  PairCase random = pair_cases(100001).front();
  for (Pair& pair : random.pairs) pair.x += 2;  // bins are narrow there
  const job::ReduceJob job = job_of(QuantileMethod::linear, {0.1, 0.9});
  const WeightedSample sample = sample_of(random.pairs);
  EXPECT_EQ(found_in(random.pairs, job, 1 << 20, sample).passes, 1);
  EXPECT_EQ(found_in(random.pairs, job, 8192, sample).passes, 2);
  const PairCase few = pair_cases(1001)[2];
  EXPECT_LE(found_in(few.pairs, job, 0).passes, 4);
}

TEST(WeightedQuantile, AddsWeightsAsIntegersWhileTheyFit) {
  for (int exponent = 118; exponent <= 128; ++exponent) {
    const double heavy = std::ldexp(1, exponent);
    const PairCase given{"two magnitudes", {{1, heavy}, {2, 1}, {3, 1}, {4, heavy}}};
    const double below = 0.5 - std::numeric_limits<double>::epsilon() / 4;
    for (const job::WeightedMethod& method : job::weighted_methods()) {
      expect_quantiles(given, job_of(method.method, {0, below, 0.5, 0.75, 1}), 100);
    }
  }
}

TEST(WeightedQuantile, TakesATenthForATenth) {
  std::vector<double> tenths, wanted;
  Pairs pairs;
  for (int i = 1; i <= 10; ++i) {
    tenths.push_back(i / 10.0);
    wanted.push_back(i);
    pairs.push_back({double(i), 0.1});
  }
  tenths.push_back(1e-300);
  wanted.push_back(1);
  const job::ReduceJob job = job_of(QuantileMethod::inverted_cdf, tenths);
  std::vector<double> values = values_of(job, found_at_once(pairs, job));
  values.pop_back();  // the median
  EXPECT_EQ(values, wanted);
}

TEST(WeightedQuantile, IsTheMedianIfAllWeightsAreEqual) {
  const job::ReduceJob job = job_of(QuantileMethod::linear, {});
  const double greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(values_of(job, found_at_once({{3, 7}, {1, 7}, {2, 7}, {9, 7}}, job)).back(), 2.5);
  EXPECT_EQ(values_of(job, found_at_once({{greatest, greatest}, {greatest, greatest}}, job)).back(),
            greatest);
}

TEST(WeightedQuantile, ValuesOfInfinitiesAndZeros) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto median = [](const Pairs& pairs) {
    const job::ReduceJob job = job_of(QuantileMethod::linear, {});
    return values_of(job, found_at_once(pairs, job)).back();
  };
  EXPECT_EQ(median({{-infinity, 1}, {5, 1}, {infinity, 1}}), 5);
  EXPECT_EQ(median({{-infinity, 1}, {5, 1}}), -infinity);
  EXPECT_EQ(median({{infinity, 1}, {5, 1}}), infinity);
  EXPECT_TRUE(std::isnan(median({{infinity, 1}, {-infinity, 1}})));
  EXPECT_TRUE(std::signbit(median({{-0.0, 1}, {-0.0, 3}})));
  EXPECT_FALSE(std::signbit(median({{-0.0, 1}, {0.0, 1}})));
}

TEST(WeightedQuantile, HasNoAnswerOfNothingAndOfNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  job::ReduceJob job = job_of(QuantileMethod::linear, {0.5});
  for (const Pairs& pairs : {Pairs{}, Pairs{{1, 0}}, Pairs{{1, 2}, {nan, 0}}}) {
    for (const OrderFindings& findings :
         {found_at_once(pairs, job), found_in(pairs, job, 10).findings}) {
      for (const double value : values_of(job, findings)) EXPECT_TRUE(std::isnan(value));
    }
  }
  job.nan = job::NanPolicy::skip;
  EXPECT_EQ(values_of(job, found_in({{1, 2}, {nan, 5}}, job, 10).findings).front(), 1);
}

TEST(WeightedQuantile, SumsTravelWithoutTheirZeros) {
  const auto bytes_of_sum = [](const WeightSum& sum) {
    base::ByteWriter to;
    sum.write(to);
    return to.take();
  };
  WeightSum sum;
  EXPECT_EQ(bytes_of_sum(sum).size(), 8U);
  for (const double weight : {5e-324, 1.0, std::numeric_limits<double>::max()}) {
    for (int i = 0; i < 3; ++i) sum.add({element_key(weight), weight});
    const base::Bytes bytes = bytes_of_sum(sum);
    base::ByteReader from(bytes);
    const WeightSum read = WeightSum::read(from);
    EXPECT_TRUE(from.empty());
    EXPECT_EQ(read.count, sum.count);
    EXPECT_EQ(read.least, sum.least);
    EXPECT_EQ(read.greatest, sum.greatest);
    EXPECT_TRUE(read.weights == sum.weights);
  }
}

}  // namespace
}  // namespace tessera::statistics
