// Passes that narrow ranges of keys find every rank, whatever the elements and the memory.
#include "statistics/order/rank_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "statistics/order/order_answers.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::statistics {
namespace {

using base::ElementType;
using job::Operation;
using Keys = std::vector<ElementKey>;

job::ReduceJob job_of(std::vector<Operation> operations) {
  job::ReduceJob job;
  job.operations = std::move(operations);
  job.quantiles = {0, 0.01, 0.25, 0.5, 0.999, 1};
  return job;
}

/// Every 20th run of 16 keys.
KeySample sample_of(const Keys& keys) {
  KeySample sample;
  for (std::size_t at = 0; at + 16 <= keys.size(); at += 320) {
    sample.emplace_back(keys.begin() + static_cast<std::ptrdiff_t>(at),
                        keys.begin() + static_cast<std::ptrdiff_t>(at) + 16);
  }
  return sample;
}

/// In two parts, which are merged.
KeyTally tally_of(const Keys& keys, const KeyRequest& request) {
  KeyTally all(request), second(request);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    KeyTally& part = i < keys.size() / 3 ? all : second;
    part.add(keys[i], request);
    if (request.top > 0) {
      part.top.add({keys[i], static_cast<std::int64_t>(i), keys[i]});
    }
  }
  all.bound(request.max_keys);
  second.bound(request.max_keys);
  all.merge(second, request);
  return all;
}

struct Outcome {
  OrderFindings findings;
  int passes = 0;
};

Outcome found_in(const Keys& keys, const job::ReduceJob& job, ElementType type,
                 std::uint64_t max_keys, const KeySample& sample) {
  const auto count = static_cast<std::int64_t>(keys.size());
  const OrderPasses passes(job, type, count, max_keys);
  Outcome outcome;
  Partial partial;
  partial.elements = count;
  std::optional<KeyRequest> request = passes.first(sample);
  while (request) {
    KeyTally tally = tally_of(keys, *request);
    std::size_t held = 0;
    for (const RangeTally& range : tally.ranges) held += range.keys.size();
    EXPECT_LE(held, max_keys);
    request = passes.next(*request, tally, partial, outcome.findings);
    if (++outcome.passes == 40) break;
  }
  return outcome;
}

struct KeyCase {
  const char* name;
  Keys keys;
};

std::vector<KeyCase> key_cases(std::size_t count, int bits) {
  std::mt19937_64 random(7);
  const auto made = [&](const auto& make) {
    Keys keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = make(i) & (~ElementKey{0} >> (64 - bits));
    return keys;
  };
  std::vector<KeyCase> cases = {
      {"any bits", made([&](std::size_t) { return random(); })},
      {"ascending", made([](std::size_t i) { return ElementKey{1000} + i; })},
      {"descending", made([](std::size_t i) { return ~ElementKey{0} - i; })},
      {"constant", made([](std::size_t) { return ElementKey{77}; })},
      {"the least and the greatest",
       made([](std::size_t i) { return i % 2 ? ~ElementKey{0} : 0; })},
      {"mostly one",
       made([&](std::size_t i) { return i % 16 ? ElementKey{5000} : random() % 9999; })},
      {"in one bin of the first pass",
       made([&](std::size_t) { return 0x123456789000 + random() % 3; })},
      {"powers", made([&](std::size_t) { return ElementKey{1} << random() % 64; })},
  };
  return cases;
}

void expect_ranks(const KeyCase& given, ElementType type, std::uint64_t max_keys,
                  const KeySample& sample) {
  const job::ReduceJob job = job_of({Operation::median, Operation::quantile});
  const Outcome outcome = found_in(given.keys, job, type, max_keys, sample);
  Keys sorted = given.keys;
  std::ranges::sort(sorted);
  const auto n = static_cast<std::int64_t>(sorted.size());
  for (const std::int64_t rank : {std::int64_t{0}, (n - 1) / 2, n / 2, n - 1}) {
    ASSERT_TRUE(outcome.findings.by_rank.contains(rank)) << given.name;
  }
  for (const auto& [rank, key] : outcome.findings.by_rank) {
    EXPECT_EQ(key, sorted[static_cast<std::size_t>(rank)]) << given.name << ", rank " << rank;
  }
  EXPECT_LE(outcome.passes, max_passes(type, 14)) << given.name;
}

TEST(RankSearch, FindsRanksOfAnyKeysInAnyMemory) {
  for (const ElementType type : {ElementType::u64, ElementType::u32, ElementType::u16}) {
    for (const KeyCase& given : key_cases(70001, key_bits(type))) {
      for (const std::uint64_t max_keys : {4096, 1 << 20}) {
        expect_ranks(given, type, max_keys, sample_of(given.keys));
      }
    }
  }
}

TEST(RankSearch, FindsRanksWhereTheSampleMisleads) {
  for (const KeyCase& given : key_cases(70001, 64)) {
    expect_ranks(given, ElementType::u64, 1 << 20, {{0, 0, 0}, {0, 0}});
    expect_ranks(given, ElementType::u64, 4096, {{~ElementKey{0}}, {5, 6}});
    expect_ranks(given, ElementType::u64, 4096, {});
  }
}

TEST(RankSearch, ReadsOnceWhatFitsAndTwiceWhatDoesNot) {
  const KeyCase random = key_cases(200001, 64).front();
  const job::ReduceJob job = job_of({Operation::quantile, Operation::median});
  const KeySample sample = sample_of(random.keys);
  EXPECT_EQ(found_in(random.keys, job, ElementType::u64, 1 << 20, sample).passes, 1);
  EXPECT_EQ(found_in(random.keys, job, ElementType::u64, 8192, sample).passes, 2);
  const Keys few(random.keys.begin(), random.keys.begin() + 9);
  EXPECT_EQ(found_in(few, job, ElementType::u64, 4096, {}).passes, 1);
}

TEST(RankSearch, CountsValuesInAsManyPassesAsTheTableNeeds) {
  const job::ReduceJob job = job_of({Operation::mode, Operation::nunique});
  for (const ElementType type : {ElementType::u64, ElementType::u32, ElementType::u16}) {
    for (const KeyCase& given : key_cases(20011, key_bits(type))) {
      for (const std::uint64_t max_keys : {16384, 1 << 20}) {
        const Outcome outcome = found_in(given.keys, job, type, max_keys, {});
        std::map<ElementKey, std::int64_t> counts;
        for (const ElementKey key : given.keys) ++counts[key];
        const auto mode =
            std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        EXPECT_EQ(outcome.findings.distinct, static_cast<std::int64_t>(counts.size()));
        EXPECT_EQ(outcome.findings.mode, mode->first) << given.name;
        EXPECT_EQ(outcome.findings.mode_count, mode->second) << given.name;
        EXPECT_LE(outcome.passes, 2 + static_cast<int>(counts.size() * 8 / max_keys));
      }
    }
  }
}

TEST(RankSearch, KeepsTheLargestByTheLowerIndex) {
  job::ReduceJob job = job_of({Operation::topk, Operation::argtopk});
  job.topk = 5;
  job.argtopk = 3;
  const Outcome outcome = found_in({3, 9, 9, 1, 9, 2, 9}, job, ElementType::u64, 4096, {});
  std::vector<std::int64_t> indices;
  for (const TopElement& element : outcome.findings.top) indices.push_back(element.index);
  EXPECT_EQ(indices, (std::vector<std::int64_t>{1, 2, 4, 6, 0}));
  Partial all;
  all.elements = 7;
  EXPECT_EQ(order_answer(Operation::topk, job, ElementType::u64, all, outcome.findings).size(), 5U);
  EXPECT_EQ(order_answer(Operation::argtopk, job, ElementType::u64, all, outcome.findings).size(),
            3U);
}

TEST(RankSearch, RefusesModesOfFloats) {
  const job::ReduceJob job = job_of({Operation::mode});
  EXPECT_ANY_THROW(OrderPasses(job, ElementType::f32, 1, 4096));
  EXPECT_NO_THROW(OrderPasses(job, ElementType::i8, 1, 4096));
}

TEST(ElementKeys, AreOrderedAsElementsAreAndReadBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> ascending = {-infinity, -1e300, -1,   -5e-324, -0.0,
                                         0.0,       5e-324, 1e-5, 2,       infinity};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const ElementKey key = element_key(ascending[i]);
    EXPECT_TRUE(number_keys(ElementType::f64).contain(key));
    if (i > 0) {
      EXPECT_LT(element_key(ascending[i - 1]), key);
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(real_of_key(key, ElementType::f64)),
              std::bit_cast<std::uint64_t>(ascending[i]));
  }
  for (const float x : {-std::numeric_limits<float>::infinity(), -0.0F, 1e-45F, 3.5F}) {
    EXPECT_EQ(real_of_key(element_key(x), ElementType::f32), x);
    EXPECT_TRUE(number_keys(ElementType::f32).contain(element_key(x)));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(number_keys(ElementType::f64).contain(element_key(nan)));
  EXPECT_FALSE(number_keys(ElementType::f64).contain(element_key(-nan)));
  EXPECT_EQ(value_of_key(element_key(std::int8_t{-128}), ElementType::i8).text, "-128");
  EXPECT_EQ(value_of_key(~ElementKey{0}, ElementType::u64).text, "18446744073709551615");
  EXPECT_EQ(unsigned_zero_key(element_key(-0.0F), ElementType::f32), element_key(0.0F));
}

}  // namespace
}  // namespace tessera::statistics
