#include "statistics/group_partials.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "statistics/output_values.hpp"

namespace tessera::statistics {
namespace {

using base::ElementType;

constexpr ReductionSpec kSums{.type = ElementType::f64, .sum = true};

/// A group for each list of terms, which are multiples of the unit of `window`.
GroupPartials groups_of(const SumWindow& window, const std::vector<std::vector<double>>& terms) {
  GroupPartials all;
  all.grow(kSums, terms.size());
  all.keys.resize(terms.size());
  for (std::size_t g = 0; g < terms.size(); ++g) {
    all.keys[g] = 10 * g;
    all.elements[g] = std::ssize(terms[g]);
    for (const double x : terms[g]) {
      const auto units = static_cast<std::int64_t>(std::ldexp(x, -window.unit()));
      add_words(all.sum.words[g], {static_cast<std::uint64_t>(units),
                                   static_cast<std::uint64_t>(units < 0 ? -1 : 0)});
    }
  }
  return all;
}

std::vector<double> answers_of(job::Operation operation, const GroupSpec& group_spec,
                               const GroupPartials& all) {
  std::vector<double> found(all.size());
  const AnswerType result = result_of(operation, ElementType::f64, {});
  const std::span to = std::as_writable_bytes(std::span(found));
  // Some groups, then the others.
  const std::size_t some = all.size() / 3;
  EXPECT_FALSE(write_group_answers(result, 0, group_spec, all, {some, all.size()}, 0,
                                   to.subspan(some * sizeof(double))));
  EXPECT_FALSE(write_group_answers(result, 0, group_spec, all, {0, some}, 0, to));
  return found;
}

/// Through the accumulator.
double truth_of(job::Operation operation, const GroupSpec& group_spec, const GroupPartials& all,
                std::size_t group) {
  return answer(operation, all.partial(group_spec, group), group_spec.spec, 0).front().real.value();
}

void expect_rounded_once(const GroupSpec& group_spec, const GroupPartials& all) {
  for (const auto operation : {job::Operation::sum, job::Operation::mean}) {
    const auto found = answers_of(operation, group_spec, all);
    for (std::size_t g = 0; g < all.size(); ++g) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found[g]),
                std::bit_cast<std::uint64_t>(truth_of(operation, group_spec, all, g)))
          << job::operation_name(operation) << " of group " << g;
    }
  }
}

base::Bytes packed_bytes(const GroupPartials& all) {
  base::ByteWriter to;
  all.write_packed(to);
  return to.take();
}

TEST(GroupPartials, RoundsSumsAndMeansOnceAsTheAccumulatorDoes) {
  std::mt19937_64 random(3);
  // Of ordinary numbers, of subnormal ones, and of those that overflow.
  for (const int first : {1, 40, 52, 53, 1000, 1900, 1975}) {
    const GroupSpec group_spec{kSums, {.first = first, .count = 60}};
    GroupPartials all;
    all.grow(kSums, 3000);
    for (std::size_t g = 0; g < all.size(); ++g) {
      all.elements[g] = 1 + static_cast<std::int64_t>(random() % (g % 2 == 0 ? 10 : 1000000));
      const int shift = static_cast<int>(random() % 127);
      auto bits = (static_cast<kernels::UnsignedInt128>(random()) << 64 | random()) >> shift;
      bits >>= 1;                                 // room for the sign
      if (g % 5 == 0) bits = (bits >> 60) << 60;  // ties and exact results
      if (g % 7 == 0) bits |= 1;                  // just above them
      if (random() % 2 == 0) bits = -bits;
      all.sum.words[g] = {static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)};
    }
    expect_rounded_once(group_spec, all);
  }
}

TEST(GroupPartials, MergeByKey) {
  const GroupSpec group_spec{kSums, {.first = 1065, .count = 50}};
  GroupPartials a = groups_of(group_spec.window, {{1, 2}, {4}, {0.5}, {-3}});
  GroupPartials b = groups_of(group_spec.window, {{8}, {16}, {0.25}});
  b.keys = {5, 10, 99};
  const GroupPartials both = merged(kSums, a, b);
  EXPECT_EQ(both.keys, (std::vector<GroupKey>{0, 5, 10, 20, 30, 99}));
  EXPECT_EQ(both.elements, (std::vector<std::int64_t>{2, 1, 2, 1, 1, 1}));
  EXPECT_EQ(answers_of(job::Operation::sum, group_spec, both),
            (std::vector<double>{3, 8, 20, 0.5, -3, 0.25}));
}

TEST(GroupPartials, ManyMergeAsTwoAndTwoDo) {
  const GroupSpec group_spec{kSums, {.first = 1065, .count = 50}};
  std::mt19937_64 random(5);
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{3}, std::size_t{8}, std::size_t{13}}) {
    std::vector<GroupPartials> all;
    std::vector<const GroupPartials*> parts;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::vector<double>> elements(random() % 40);
      GroupKey key = 0;
      std::vector<GroupKey> keys;
      for (auto& group : elements) {
        group.assign(1 + random() % 3, static_cast<double>(random() % 1000));
        keys.push_back(key += 1 + random() % 9);
      }
      all.push_back(groups_of(group_spec.window, elements));
      all.back().keys = std::move(keys);
      if (!all.back().keys.empty()) all.back().sum.rest[0].add(0x1p900);
    }
    GroupPartials one_by_one;
    for (const GroupPartials& part : all) {
      one_by_one = merged(kSums, one_by_one, part);
      parts.push_back(&part);
    }
    const GroupPartials together = merged(kSums, parts);
    EXPECT_EQ(together.keys, one_by_one.keys);
    EXPECT_EQ(together.elements, one_by_one.elements);
    EXPECT_EQ(answers_of(job::Operation::sum, group_spec, together),
              answers_of(job::Operation::sum, group_spec, one_by_one));
    EXPECT_EQ(together.sum.rest.size(), one_by_one.sum.rest.size());
  }
}

TEST(GroupPartials, TermsOutsideOfTheWindowMoveWithTheirGroups) {
  const GroupSpec group_spec{kSums, {.first = 1065, .count = 50}};
  GroupPartials a = groups_of(group_spec.window, {{1}, {2}});
  GroupPartials b = groups_of(group_spec.window, {{4}});
  a.sum.rest[1].add(0x1p-1074);
  b.sum.rest[0].add(0x1p900);
  b.keys = {5};
  const GroupPartials both = merged(kSums, a, b);
  const GroupPartials sent = base::from_bytes<GroupPartials>(base::to_bytes(both));
  const base::Bytes packed = packed_bytes(both);
  base::ByteReader from(packed);
  GroupPartials unpacked;
  unpacked.read_packed(from);
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(packed_bytes(unpacked), packed);
  EXPECT_EQ(unpacked.keys, both.keys);
  EXPECT_EQ(unpacked.elements, both.elements);
  EXPECT_EQ(answers_of(job::Operation::sum, group_spec, unpacked),
            answers_of(job::Operation::sum, group_spec, both));
  const std::vector<double> sums = answers_of(job::Operation::sum, group_spec, sent);
  EXPECT_EQ(sums, (std::vector<double>{1, 0x1p900, 2}));
  EXPECT_EQ(sent.sum.rest.size(), 2);
  const std::vector<std::uint32_t> turned = {2, 1};
  const GroupPartials picked = sent.pick(turned);
  EXPECT_EQ(answers_of(job::Operation::sum, group_spec, picked), (std::vector<double>{2, 0x1p900}));
  EXPECT_TRUE(picked.sum.rest.contains(0));
  const GroupPartials part = sent.part(1, 3);
  EXPECT_EQ(part.keys, (std::vector<GroupKey>{5, 10}));
  EXPECT_EQ(answers_of(job::Operation::sum, group_spec, part), (std::vector<double>{0x1p900, 2}));
  EXPECT_EQ(sent.part(0, 1).sum.rest.size(), 0);
  GroupPartials kept = sent;
  kept.keep(std::vector<std::uint32_t>{1, 2});
  EXPECT_EQ(kept.keys, (std::vector<GroupKey>{5, 10}));
  EXPECT_EQ(answers_of(job::Operation::sum, group_spec, kept), (std::vector<double>{0x1p900, 2}));
}

TEST(SumWindow, HasRoomForTheSumOfAllTerms) {
  for (const std::int64_t terms : {std::int64_t{1}, std::int64_t{1} << 32, std::int64_t{1} << 62}) {
    const SumWindow window = SumWindow::below(1023, terms);
    // The largest term has 53 + count - 1 bits.
    EXPECT_LE(std::ldexp(static_cast<double>(terms), 52 + window.count), 0x1p127);
    EXPECT_GE(window.first, 1);
    EXPECT_GE(window.first + window.count, 1024);
  }
  EXPECT_EQ(SumWindow::below(5, 1000).first, 1);
  EXPECT_LE(SumWindow::below(2046, 1000).first + SumWindow::below(2046, 1000).count, 2047);
}

}  // namespace
}  // namespace tessera::statistics
