#include "statistics/group_partials.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace tessera::statistics {

namespace {

/// A column with one number for each group.
template <class T, class Combine>
struct GroupColumn {
  std::vector<T> GroupPartials::*all;
  T Partial::*one;  ///< null for negative_zeros: a Partial has none
  bool (*wanted)(const ReductionSpec&);
  Combine combine;
  /// Empty while all counts are 0.
  bool sparse = false;

  T identity() const { return one == nullptr ? T{} : Partial().*one; }
};

// Clang before 17 deduces no arguments of aggregates by itself.
template <class T, class Combine>
GroupColumn(std::vector<T> GroupPartials::*, T Partial::*, bool (*)(const ReductionSpec&), Combine,
            bool = false) -> GroupColumn<T, Combine>;

template <class All, class Sum>
struct GroupSumColumn {
  All GroupPartials::*all;
  Sum Partial::*one;
  bool ReductionSpec::*flag;
};

template <class All, class Sum>
GroupSumColumn(All GroupPartials::*, Sum Partial::*, bool ReductionSpec::*)
    -> GroupSumColumn<All, Sum>;

constexpr auto kLesser = [](const auto& a, const auto& b) { return std::min(a, b); };
constexpr auto kLarger = [](const auto& a, const auto& b) { return std::max(a, b); };

bool always(const ReductionSpec&) {
  return true;
}
bool while_there(const ReductionSpec&) {
  return false;
}
bool counts_nonzero(const ReductionSpec& spec) {
  return spec.nonzero;
}
bool has_places(const ReductionSpec& spec) {
  return spec.places;
}
bool has_extremes(const ReductionSpec& spec) {
  return spec.extremes;
}

template <class OfNumbers, class OfSums>
void for_each_column(const OfNumbers& numbers, const OfSums& sums) {
  using All = GroupPartials;
  constexpr std::plus<> kAdded;
  constexpr std::int64_t Partial::*kNone = nullptr;
  numbers(GroupColumn{&All::elements, &Partial::elements, always, kAdded});
  numbers(GroupColumn{&All::nans, &Partial::nans, while_there, kAdded, true});
  numbers(GroupColumn{&All::positive_infinities, &Partial::positive_infinities, while_there, kAdded,
                      true});
  numbers(GroupColumn{&All::negative_infinities, &Partial::negative_infinities, while_there, kAdded,
                      true});
  numbers(GroupColumn{&All::negative_zeros, kNone, while_there, kAdded, true});
  numbers(GroupColumn{&All::nonzero, &Partial::nonzero, counts_nonzero, kAdded});
  numbers(GroupColumn{&All::first_nan, &Partial::first_nan, has_places, kLesser});
  numbers(GroupColumn{&All::least, &Partial::least, has_extremes, kLesser});
  numbers(GroupColumn{&All::greatest, &Partial::greatest, has_extremes, kLarger});
  numbers(GroupColumn{&All::at_least, &Partial::at_least, has_places, first_least});
  numbers(GroupColumn{&All::at_greatest, &Partial::at_greatest, has_places, first_greatest});
  sums(GroupSumColumn{&All::sum, &Partial::sum, &ReductionSpec::sum});
  sums(GroupSumColumn{&All::absolute, &Partial::absolute, &ReductionSpec::absolute});
  sums(GroupSumColumn{&All::squares, &Partial::squares, &ReductionSpec::squares});
}

/// Where the groups of two sorted lists are in the merged one.
struct MergedKeys {
  std::vector<GroupKey> keys;
  std::vector<std::uint32_t> of_a, of_b;
};

MergedKeys merge_keys(std::span<const GroupKey> a, std::span<const GroupKey> b) {
  MergedKeys all{.of_a = std::vector<std::uint32_t>(a.size()),
                 .of_b = std::vector<std::uint32_t>(b.size())};
  all.keys.resize(a.size() + b.size());
  std::size_t i = 0, j = 0;
  std::uint32_t count = 0;
  while (i < a.size() && j < b.size()) {
    const GroupKey x = a[i], y = b[j];
    all.keys[count] = std::min(x, y);
    all.of_a[i] = all.of_b[j] = count++;  // the one that does not move on is overwritten
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  for (; i < a.size(); ++i) all.keys[all.of_a[i] = count++] = a[i];
  for (; j < b.size(); ++j) all.keys[all.of_b[j] = count++] = b[j];
  all.keys.resize(count);
  return all;
}

/// The accumulators of the groups `from`, by their new numbers.
template <class Sum>
std::map<std::uint32_t, Sum> picked_rest(const std::map<std::uint32_t, Sum>& rest,
                                         std::span<const std::uint32_t> from) {
  std::map<std::uint32_t, Sum> picked;
  if (rest.empty()) return picked;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto found = rest.find(from[i]);
    if (found == rest.end()) continue;
    picked.emplace_hint(picked.end(), static_cast<std::uint32_t>(i), found->second);
  }
  return picked;
}

template <class Sum>
Sum finite_part(const Sum& sum) {
  std::array<std::int64_t, Sum::kWords> words;
  sum.to_words(words);
  std::fill_n(words.begin() + Sum::kLimbs, 3, 0);
  return Sum::from_words(words);
}

IntegerSums integer_sums(const ReductionSpec& spec, const GroupPartials& all, std::size_t group) {
  const auto join = [](std::uint64_t high, std::uint64_t low) {
    return static_cast<kernels::UnsignedInt128>(high) << 64 | low;
  };
  IntegerSums sums;
  if (spec.sum) {
    const auto& words = all.sum.words[group];
    sums.sum = static_cast<kernels::Int128>(join(words[1], words[0]));
  }
  if (spec.absolute) {
    const auto& words = all.absolute.words[group];
    sums.absolute = join(words[1], words[0]);
  }
  if (spec.squares) {
    const auto& words = all.squares.words[group];
    sums.squares_low = words[0];
    sums.squares_high = join(words[2], words[1]);
  }
  return sums;
}

void put_integer_sums(const ReductionSpec& spec, const IntegerSums& sums, std::size_t group,
                      GroupPartials& all) {
  const auto low = [](auto x) { return static_cast<std::uint64_t>(x); };
  const auto high = [](auto x) {
    return static_cast<std::uint64_t>(static_cast<kernels::UnsignedInt128>(x) >> 64);
  };
  if (spec.sum) all.sum.words[group] = {low(sums.sum), high(sums.sum)};
  if (spec.absolute) all.absolute.words[group] = {low(sums.absolute), high(sums.absolute)};
  if (!spec.squares) return;
  all.squares.words[group] = {low(sums.squares_low), high(sums.squares_low), 0, 0};
  add_words(all.squares.words[group], {0, low(sums.squares_high), high(sums.squares_high), 0});
}

}  // namespace

SumWindow SumWindow::below(int largest_field, std::int64_t terms) {
  // A term has 53 bits, of which the window shifts the highest by count - 1.
  const int count =
      std::min(63, 75 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms))));
  constexpr int kMargin = 3;
  const int end = std::min(largest_field + kMargin, 0x7fe) + 1;
  return {std::max(1, end - count), count};
}

void GroupPartials::grow(const ReductionSpec& spec, std::size_t groups) {
  for_each_column(
      [&](const auto& column) {
        auto& values = this->*column.all;
        if (column.sparse ? !values.empty() : column.wanted(spec)) {
          values.resize(groups, column.identity());
        }
      },
      [&](const auto& column) {
        if (spec.*column.flag) (this->*column.all).words.resize(groups);
      });
}

GroupPartials GroupPartials::pick(std::span<const std::uint32_t> from) const {
  GroupPartials some;
  some.last = last;
  const auto pick_from = [&](const auto& values, auto& to) {
    if (values.empty()) return;
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = values[from[i]];
  };
  pick_from(keys, some.keys);
  for_each_column([&](const auto& column) { pick_from(this->*column.all, some.*column.all); },
                  [&](const auto& column) {
                    const auto& sums = this->*column.all;
                    auto& picked = some.*column.all;
                    pick_from(sums.words, picked.words);
                    picked.rest = picked_rest(sums.rest, from);
                  });
  return some;
}

void GroupPartials::keep(std::span<const std::uint32_t> from) {
  const auto keep_in = [&](auto& values) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < from.size(); ++i) values[i] = values[from[i]];
    values.resize(from.size());
  };
  keep_in(keys);
  for_each_column([&](const auto& column) { keep_in(this->*column.all); },
                  [&](const auto& column) {
                    auto& sums = this->*column.all;
                    keep_in(sums.words);
                    sums.rest = picked_rest(sums.rest, from);
                  });
}

void GroupPartials::keep_first(std::size_t groups) {
  if (groups >= size()) return;
  keys.resize(groups);
  for_each_column(
      [&](const auto& column) {
        auto& values = this->*column.all;
        if (!values.empty()) values.resize(groups);
      },
      [&](const auto& column) {
        auto& sums = this->*column.all;
        if (!sums.words.empty()) sums.words.resize(groups);
        sums.rest.erase(sums.rest.lower_bound(static_cast<std::uint32_t>(groups)), sums.rest.end());
      });
}

void GroupPartials::count(std::vector<std::int64_t>& column, std::size_t group) const {
  if (column.empty()) column.resize(size());
  ++column[group];
}

Partial GroupPartials::partial(const GroupSpec& group_spec, std::size_t group) const {
  const ReductionSpec& spec = group_spec.spec;
  const bool floating = base::is_floating(spec.type);
  Partial one;
  for_each_column(
      [&](const auto& column) {
        const auto& values = this->*column.all;
        if (column.one != nullptr && !values.empty()) one.*column.one = values[group];
      },
      [&](const auto& column) {
        constexpr bool kDoubled =
            std::is_same_v<decltype(column.one), kernels::SquareAccumulator Partial::*>;
        if (!floating || !(spec.*column.flag)) return;
        one.*column.one =
            (this->*column.all).sum(group, (kDoubled ? 2 : 1) * group_spec.window.unit());
      });
  if (!floating) {
    one.integers = integer_sums(spec, *this, group);
    return one;
  }
  const std::int64_t finite =
      one.elements - one.nans - one.positive_infinities - one.negative_infinities;
  const std::int64_t zeros = negative_zeros.empty() ? 0 : negative_zeros[group];
  if (zeros > 0) one.sum.add_negative_zero();
  // A zero says that there were other terms.
  if (finite > zeros) one.sum.add(0.0);
  if (finite > 0) one.absolute.add(0.0);
  if (finite > 0) one.squares.add(0.0);
  add_specials(spec, one);
  return one;
}

void GroupPartials::put(const ReductionSpec& spec, std::size_t group, const Partial& one,
                        std::int64_t one_negative_zeros) {
  const bool floating = base::is_floating(spec.type);
  for_each_column(
      [&](const auto& column) {
        auto& values = this->*column.all;
        if (column.sparse && values.empty()) values.resize(size(), column.identity());
        if (column.one != nullptr && !values.empty()) values[group] = one.*column.one;
      },
      [&](const auto& column) {
        if (!floating || !(spec.*column.flag)) return;
        (this->*column.all).rest[static_cast<std::uint32_t>(group)] = finite_part(one.*column.one);
      });
  negative_zeros[group] = one_negative_zeros;
  if (!floating) put_integer_sums(spec, one.integers, group, *this);
}

SpecialCounts GroupPartials::specials() const {
  const auto total = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  return {total(nans), total(positive_infinities), total(negative_infinities)};
}

std::size_t GroupPartials::written_bytes() const {
  std::size_t bytes =
      1024 + keys.size() * sizeof(GroupKey) + accumulators() * sizeof(kernels::SquareAccumulator);
  for_each_column(
      [&](const auto& column) {
        const auto& values = this->*column.all;
        bytes += values.size() * sizeof(column.identity());
      },
      [&](const auto& column) {
        bytes += std::as_bytes(std::span((this->*column.all).words)).size();
      });
  return bytes;
}

void GroupPartials::write(base::ByteWriter& to) const {
  to.put(last, keys);
  const auto write_one = [&](const auto& column) { to.put(this->*column.all); };
  for_each_column(write_one, write_one);
}

void GroupPartials::read(base::ByteReader& from) {
  from.read(last);
  from.read(keys);
  const auto read_one = [&](const auto& column) { from.read(this->*column.all); };
  for_each_column(read_one, read_one);
}

std::uint64_t GroupPartials::bytes_each(const ReductionSpec& spec) {
  std::uint64_t bytes = sizeof(GroupKey);
  for_each_column(
      [&](const auto& column) {
        if (column.wanted(spec)) bytes += sizeof(column.identity());
      },
      [&](const auto& column) {
        if (spec.*column.flag) {
          bytes += sizeof((std::declval<GroupPartials>().*column.all).words.front());
        }
      });
  return bytes;
}

GroupPartials merged(const ReductionSpec& spec, const GroupPartials& a, const GroupPartials& b) {
  MergedKeys keys = merge_keys(a.keys, b.keys);
  GroupPartials all;
  all.last = std::min(a.last, b.last);
  all.grow(spec, keys.keys.size());
  all.keys = std::move(keys.keys);
  for_each_column(
      [&](const auto& column) {
        auto& into = all.*column.all;
        const auto add = [&](const auto& values, std::span<const std::uint32_t> positions) {
          if (values.empty()) return;
          if (into.empty()) into.resize(all.size(), column.identity());
          for (std::size_t g = 0; g < values.size(); ++g) {
            into[positions[g]] = column.combine(into[positions[g]], values[g]);
          }
        };
        add(a.*column.all, keys.of_a);
        add(b.*column.all, keys.of_b);
      },
      [&](const auto& column) {
        (all.*column.all).merge(a.*column.all, keys.of_a);
        (all.*column.all).merge(b.*column.all, keys.of_b);
      });
  const auto end = std::ranges::upper_bound(all.keys, all.last);
  all.keep_first(static_cast<std::size_t>(end - all.keys.begin()));
  return all;
}

}  // namespace tessera::statistics
