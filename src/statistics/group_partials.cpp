#include "statistics/group_partials.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

#include "base/packed_integers.hpp"
#include "statistics/merged_keys.hpp"

namespace tessera::statistics {

namespace {

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

/// Memory that an accumulator takes in a map, with its key.
template <class Sum>
constexpr std::size_t bytes_in_map(Sum Partial::*) {
  constexpr std::size_t kNode = 48;
  return kNode + sizeof(Sum);
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

template <class OfNumbers>
void GroupPartials::for_each_own_column(const OfNumbers& numbers) {
  using All = GroupPartials;
  constexpr auto kAlways = [](const ReductionSpec&) { return true; };
  constexpr auto kNever = [](const ReductionSpec&) { return false; };
  constexpr std::int64_t Partial::*kNone = nullptr;
  numbers(NumberColumn{&All::elements, &Partial::elements, kAlways, std::plus<>()});
  numbers(NumberColumn{&All::negative_zeros, kNone, kNever, std::plus<>(), true});
}

void GroupPartials::grow(const ReductionSpec& spec, std::size_t groups) {
  grow_columns(spec, groups);
}

GroupPartials GroupPartials::pick(std::span<const std::uint32_t> from) const {
  GroupPartials some;
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

GroupPartials GroupPartials::part(std::size_t first, std::size_t end) const {
  GroupPartials some;
  const auto copy = [&](const auto& values, auto& to) {
    if (values.empty()) return;
    to.assign(values.begin() + static_cast<std::ptrdiff_t>(first),
              values.begin() + static_cast<std::ptrdiff_t>(end));
  };
  copy(keys, some.keys);
  for_each_column([&](const auto& column) { copy(this->*column.all, some.*column.all); },
                  [&](const auto& column) {
                    const auto& sums = this->*column.all;
                    auto& copied = some.*column.all;
                    copy(sums.words, copied.words);
                    const auto from = static_cast<std::uint32_t>(first);
                    for (auto at = sums.rest.lower_bound(from);
                         at != sums.rest.end() && at->first < end; ++at) {
                      copied.rest.emplace_hint(copied.rest.end(), at->first - from, at->second);
                    }
                  });
  return some;
}

void GroupPartials::count(std::vector<std::int64_t>& column, std::size_t group) const {
  if (column.empty()) column.resize(size());
  ++column[group];
}

void GroupPartials::describe(const GroupSpec& group_spec, std::size_t group, Partial& one) const {
  const ReductionSpec& spec = group_spec.spec;
  copy_to(one, spec, group,
          [&](const auto& sums) { return sums.sum(group, group_spec.window_of_terms()); });
  if (!base::is_floating(spec.type)) {
    one.integers = integer_sums(spec, *this, group);
    return;
  }
  if (spec.pairing != job::Pairing::none) return;
  const std::int64_t finite =
      one.elements - one.nans - one.positive_infinities - one.negative_infinities;
  const std::int64_t zeros = negative_zeros.empty() ? 0 : negative_zeros[group];
  // A zero says that there were other terms.
  if (spec.sum && zeros > 0) one.sum.add_negative_zero();
  if (spec.sum && finite > zeros) one.sum.add(0.0);
  if (spec.absolute && finite > 0) one.absolute.add(0.0);
  if (spec.squares && finite > 0) one.squares.add(0.0);
  add_specials(spec, one);
}

void GroupPartials::put(const ReductionSpec& spec, std::size_t group, const Partial& one,
                        std::int64_t one_negative_zeros) {
  put_columns(spec, size(), group, one);
  negative_zeros[group] = one_negative_zeros;
  if (!base::is_floating(spec.type)) put_integer_sums(spec, one.integers, group, *this);
}

SpecialCounts GroupPartials::specials() const {
  const auto total = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  return {total(nans), total(positive_infinities), total(negative_infinities)};
}

std::size_t GroupPartials::accumulator_bytes() const {
  std::size_t bytes = 0;
  for_each_column([](const auto&) {},
                  [&](const auto& column) {
                    bytes += (this->*column.all).rest.size() * bytes_in_map(column.one);
                  });
  return bytes;
}

std::uint64_t GroupPartials::accumulator_bytes_each(const ReductionSpec& spec) {
  std::uint64_t bytes = 0;
  for_each_column([](const auto&) {},
                  [&](const auto& column) {
                    if (spec.*column.flag) bytes += bytes_in_map(column.one);
                  });
  return bytes;
}

std::size_t GroupPartials::written_bytes() const {
  std::size_t bytes = 1024 + keys.size() * sizeof(GroupKey);
  for_each_column(
      [&](const auto& column) {
        const auto& values = this->*column.all;
        bytes += values.size() * sizeof(column.identity());
      },
      [&](const auto& column) {
        const auto& sums = this->*column.all;
        bytes += std::as_bytes(std::span(sums.words)).size();
        bytes += sums.rest.size() * (sizeof(std::uint32_t) + sizeof(Partial().*column.one));
      });
  return bytes;
}

void GroupPartials::write(base::ByteWriter& to) const {
  to.put(keys);
  write_columns(to);
}

void GroupPartials::read(base::ByteReader& from) {
  from.read(keys);
  read_columns(from);
}

namespace {

/// Words that are not 0, each with its number.
template <class Sum>
void write_sparse(const std::map<std::uint32_t, Sum>& sums, base::ByteWriter& to) {
  to.put(sums.size());
  for (const auto& [group, sum] : sums) {
    std::array<std::int64_t, Sum::kWords> words;
    sum.to_words(words);
    to.put(group, static_cast<std::uint16_t>(Sum::kWords - std::ranges::count(words, 0)));
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (words[w] != 0) to.put(static_cast<std::uint16_t>(w), words[w]);
    }
  }
}

template <class Sum>
void read_sparse(base::ByteReader& from, std::map<std::uint32_t, Sum>& sums) {
  for (auto left = from.get<std::size_t>(); left > 0; --left) {
    const auto group = from.get<std::uint32_t>();
    std::array<std::int64_t, Sum::kWords> words{};
    for (auto some = from.get<std::uint16_t>(); some > 0; --some) {
      const auto word = from.get<std::uint16_t>();
      words.at(word) = from.get<std::int64_t>();
    }
    sums.emplace_hint(sums.end(), group, Sum::from_words(words));
  }
}

}  // namespace

void GroupPartials::write_packed(base::ByteWriter& to) const {
  std::vector<std::uint64_t> integers(size());
  const auto put = [&](const auto& value_of) {
    for (std::size_t g = 0; g < size(); ++g) integers[g] = value_of(g);
    base::put_packed(integers, to);
  };
  put([&](std::size_t g) { return g == 0 ? keys[g] : keys[g] - keys[g - 1]; });
  for_each_column(
      [&](const auto& column) {
        const auto& values = this->*column.all;
        if constexpr (std::is_integral_v<decltype(column.identity())>) {
          to.put(!values.empty());
          if (!values.empty())
            put([&](std::size_t g) { return static_cast<std::uint64_t>(values[g]); });
        } else {
          to.put(values);
        }
      },
      [&](const auto& column) {
        const auto& sums = this->*column.all;
        to.put(!sums.words.empty());
        for (std::size_t w = 0; !sums.words.empty() && w < sums.words.front().size(); ++w) {
          put([&](std::size_t g) { return sums.words[g][w]; });
        }
        write_sparse(sums.rest, to);
      });
}

void GroupPartials::read_packed(base::ByteReader& from) {
  keys = base::get_packed(from);
  std::partial_sum(keys.begin(), keys.end(), keys.begin());
  for_each_column(
      [&](const auto& column) {
        auto& values = this->*column.all;
        if constexpr (std::is_integral_v<decltype(column.identity())>) {
          if (!from.get<bool>()) return;
          const std::vector<std::uint64_t> integers = base::get_packed(from);
          values.assign(integers.begin(), integers.end());
        } else {
          from.read(values);
        }
      },
      [&](const auto& column) {
        auto& sums = this->*column.all;
        if (from.get<bool>()) {
          sums.words.resize(keys.size());
          for (std::size_t w = 0;
               w < std::tuple_size_v<typename std::decay_t<decltype(sums)>::Words>; ++w) {
            const std::vector<std::uint64_t> integers = base::get_packed(from);
            for (std::size_t g = 0; g < keys.size(); ++g) sums.words[g][w] = integers.at(g);
          }
        }
        read_sparse(from, sums.rest);
      });
}

std::uint64_t GroupPartials::bytes_each(const ReductionSpec& spec) {
  return sizeof(GroupKey) + column_bytes_each(spec);
}

GroupPartials merged(const ReductionSpec& spec, std::span<const GroupPartials* const> parts) {
  MergedKeys keys = merge_keys(parts);
  GroupPartials all;
  all.grow(spec, keys.keys.size());
  all.keys = std::move(keys.keys);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::span<const std::uint32_t> positions = keys.positions[p];
    all.merge_columns(*parts[p], all.size(), [&](std::size_t g) { return positions[g]; });
  }
  return all;
}

GroupPartials merged(const ReductionSpec& spec, const GroupPartials& a, const GroupPartials& b) {
  const std::array parts{&a, &b};
  return merged(spec, parts);
}

}  // namespace tessera::statistics
