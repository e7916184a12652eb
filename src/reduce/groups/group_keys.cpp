#include "reduce/groups/group_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/groups/broadcast_array.hpp"
#include "reduce/input/column_names.hpp"
#include "reduce/input/key_bins.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/paired_array.hpp"
#include "reduce/input/recut_array.hpp"
#include "statistics/each_element.hpp"

namespace tessera::reduce {
namespace {

using statistics::GroupKey;

/// Keys of elements that belong to no group, where ranges are known.
constexpr GroupKey kNoGroup = statistics::kLastKey;

std::int64_t bytes_of(const store::ArraySource& array) {
  return static_cast<std::int64_t>(base::element_bytes(array.info().type));
}

/// How a key along one axis has to be stored; "" for a shape that fits no axis, or several.
std::string advice_for(const store::ArraySource& all, const store::ArraySource& own) {
  const job::Shape& key = own.info().shape;
  const job::Shape& x = all.info().shape;
  if (key.size() != 1 || std::ranges::count(x, key.front()) != 1) return "";
  job::Shape wanted(x.size(), 1);
  const auto axis = std::ranges::find(x, key.front()) - x.begin();
  wanted[static_cast<std::size_t>(axis)] = key.front();
  return fmt::format("; for keys along axis {}, store them as {}", axis, job::format_shape(wanted));
}

std::unique_ptr<store::ArraySource> open_key(const job::ArrayInput& input, std::int64_t piece_bytes,
                                             const store::ArraySource& x) {
  const auto open = [&](std::int64_t bytes) {
    return open_input(std::span(&input, 1), bytes, MissingAs::no_element);
  };
  auto key = open(piece_bytes);
  // The same number of elements per piece.
  if (bytes_of(*key) != bytes_of(x)) key = open(piece_bytes / bytes_of(x) * bytes_of(*key));
  std::vector<std::size_t> places =
      places_in(x.shown(), *key, {.what = "--by " + input.text, .advice = advice_for});
  if (key->info().shape == x.info().shape && std::ranges::is_sorted(places)) return key;
  return broadcast(std::move(key), std::move(places), x.info().shape, piece_bytes / bytes_of(x));
}

template <class T>
GroupKey key_of_integer(T x) {
  if constexpr (std::is_signed_v<T>) {
    return statistics::key_of(static_cast<std::int64_t>(x));
  } else {
    return static_cast<GroupKey>(x);
  }
}

std::span<const std::byte> some_of(std::span<const std::byte> elements, base::ElementType type,
                                   std::size_t first, std::size_t count) {
  const std::size_t bytes = base::element_bytes(type);
  return elements.subspan(first * bytes, count * bytes);
}

/// Visits the elements of an integer type as keys.
template <class Visit>
void for_each_key(std::span<const std::byte> elements, base::ElementType type, const Visit& visit) {
  base::with_element_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      const std::size_t count = elements.size() / sizeof(T);
      for (std::size_t i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
        visit(i, key_of_integer(element));
      }
    }
  });
}

/// Visits the bins of elements; those in none have the number of the bins.
template <class Visit>
void for_each_bin(std::span<const std::byte> elements, base::ElementType type,
                  const statistics::HistogramBins& bins, LeftOut& left_out, const Visit& visit) {
  std::size_t i = 0;
  const bool even = bins.bins_per_unit() > 0;
  statistics::for_each_real(elements, type, [&](double x) {
    const std::size_t bin = even ? bins.guess(x) : bins.find(x);
    if (bin == statistics::HistogramBins::kOutside) ++(x != x ? left_out.nans : left_out.outside);
    visit(i++, bin == statistics::HistogramBins::kOutside ? kNoGroup : GroupKey{bin});
  });
}

/// Whether all keys from 0 to groups - 1 are elements of that type.
bool holds(const store::ArrayInfo& info, std::int64_t groups) {
  if (info.is_boolean) return groups <= 2;
  const bool is_signed = info.type <= base::ElementType::i64;
  const std::size_t bits = 8 * base::element_bytes(info.type) - (is_signed ? 1 : 0);
  return bits >= 63 || groups <= std::int64_t{1} << bits;
}

}  // namespace

GroupKeys::GroupKeys(const job::ReduceJob& job, std::unique_ptr<store::ArraySource>& x,
                     std::int64_t piece_bytes)
    : all_named_(job.groups > 0) {
  std::vector<std::string> taken = taken_columns(job);
  const std::vector<std::string> bins = job::bins_of_keys(job);
  const bool are_of_each = bins.size() > 1;
  for (std::size_t key = 0; key < job.by.size(); ++key) {
    const job::ArrayInput input = job::key_input(job, key);
    KeyColumn column{.source = open_key(input, piece_bytes, *x)};
    const std::string& own = bins[are_of_each ? key : 0];
    check(column, own);
    const store::ArrayInfo& info = column.source->info();
    const base::ElementType type = info.type;
    if (holds(info, job.groups)) {
      column.type = type;
      column.is_boolean = info.is_boolean;
    }
    const bool binned =
        !own.empty() && (are_of_each || base::is_floating(type) || job.by.size() == 1);
    column.name = name_key(input, column.source->info(), columns_.size(), binned, taken);
    if (binned) {
      column.bins = parse_bins(own);
      column.range = {0, column.bins->count() - 1};
      column.is_known = true;
    } else if (all_named_) {
      const GroupKey first =
          type <= base::ElementType::i64 ? statistics::key_of(std::int64_t{0}) : GroupKey{0};
      column.range = {first, first + static_cast<GroupKey>(job.groups) - 1};
      column.is_known = true;
    }
    columns_.push_back(std::move(column));
  }
  const auto has_bins = [](const KeyColumn& column) { return column.bins.has_value(); };
  if (!job.bins.empty() && !are_of_each && std::ranges::count_if(columns_, has_bins) != 1) {
    throw base::usage_error(
        "--bins {}: is for one key of floats, and --by has {}; give bins of each key, with "
        "semicolons between",
        job.bins, std::ranges::count_if(columns_, has_bins));
  }
  // Twice, because a later key may divide x again.
  for (int times = 0; times < 2; ++times) {
    for (KeyColumn& column : columns_) cut_alike(x, column.source);
  }
}

void GroupKeys::check(const KeyColumn& column, const std::string& bins) const {
  const store::ArrayInfo& info = column.source->info();
  if (!base::is_floating(info.type) || !bins.empty()) return;
  throw base::usage_error(
      "--by {}: has floats, {}; say how they are grouped, "
      "as --bins LO,HI,N or --bins EDGES.npy",
      info.name, base::element_code(info.type));
}

std::vector<const store::ArraySource*> GroupKeys::sources() const {
  std::vector<const store::ArraySource*> sources;
  for (const KeyColumn& column : columns_) sources.push_back(column.source.get());
  return sources;
}

bool GroupKeys::needs_ranges() const {
  return columns_.size() > 1 &&
         !std::ranges::all_of(columns_, [](const KeyColumn& column) { return column.is_known; });
}

void GroupKeys::set_range(std::size_t column, const KeyRange& range) {
  columns_[column].range = range;
  columns_[column].is_known = true;
}

void GroupKeys::join() {
  if (columns_.size() == 1) return;
  kernels::UnsignedInt128 groups = 1;
  for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
    column->step = static_cast<GroupKey>(groups);
    groups *= static_cast<kernels::UnsignedInt128>(column->range.last - column->range.first) + 1;
    if (groups >> 64 == 0) continue;
    std::vector<std::string> ranges;
    for (const KeyColumn& one : columns_) {
      ranges.push_back(fmt::format("{} of {}", one.range.last - one.range.first + 1, one.name));
    }
    throw base::usage_error("--by: there are 2^64 groups or more: {}",
                            base::join(ranges, " times "));
  }
}

KeyRange GroupKeys::range() const {
  if (columns_.size() == 1) return columns_.front().range;
  GroupKey last = 0;
  for (const KeyColumn& column : columns_) {
    last += (column.range.last - column.range.first) * column.step;
  }
  return {0, last};
}

std::optional<std::size_t> GroupKeys::encode(std::span<const std::span<const std::byte>> elements,
                                             std::size_t first, std::span<GroupKey> keys,
                                             LeftOut& left_out) const {
  const bool one = columns_.size() == 1;
  if (!one) std::ranges::fill(keys, 0);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const KeyColumn& column = columns_[k];
    const base::ElementType type = column.source->info().type;
    const auto own = some_of(elements[k], type, first, keys.size());
    const auto add = [&](std::size_t i, GroupKey key) {
      keys[i] += (key - column.range.first) * column.step;
    };
    if (column.bins && one) {
      for_each_bin(own, type, *column.bins, left_out,
                   [&](std::size_t i, GroupKey key) { keys[i] = key; });
    } else if (one) {
      for_each_key(own, type, [&](std::size_t i, GroupKey key) { keys[i] = key; });
    } else if (!column.bins) {
      for_each_key(own, type, add);
    }
  }
  if (!one) encode_bins(elements, first, keys, left_out);
  if (!all_named_) return std::nullopt;
  const KeyRange range = columns_.front().range;
  const auto bad = std::ranges::find_if(
      keys, [&](GroupKey key) { return key - range.first > range.last - range.first; });
  if (bad == keys.end()) return std::nullopt;
  return static_cast<std::size_t>(bad - keys.begin());
}

void GroupKeys::encode_bins(std::span<const std::span<const std::byte>> elements, std::size_t first,
                            std::span<GroupKey> keys, LeftOut& left_out) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const KeyColumn& column = columns_[k];
    if (!column.bins) continue;
    const base::ElementType type = column.source->info().type;
    const statistics::HistogramBins& bins = *column.bins;
    std::size_t i = 0;
    statistics::for_each_real(some_of(elements[k], type, first, keys.size()), type, [&](double x) {
      GroupKey& key = keys[i++];
      if (key == kNoGroup) return;  // by an earlier key
      const std::size_t bin = bins.bins_per_unit() > 0 ? bins.guess(x) : bins.find(x);
      const bool is_outside = bin == statistics::HistogramBins::kOutside;
      if (is_outside) ++(x != x ? left_out.nans : left_out.outside);
      key = is_outside ? kNoGroup : key + bin * column.step;
    });
  }
}

GroupKey GroupKeys::decode(GroupKey key, std::size_t column) const {
  const KeyColumn& one = columns_[column];
  if (columns_.size() == 1) return key;
  const GroupKey span = one.range.last - one.range.first;
  const GroupKey offset = key / one.step;
  return one.range.first + (span == statistics::kLastKey ? offset : offset % (span + 1));
}

std::string format_element(std::span<const std::byte> element, base::ElementType type) {
  return base::with_element_type(type, [&]<class T>(T value) {
    std::memcpy(&value, element.data(), sizeof value);
    return fmt::format("{}", value);
  });
}

}  // namespace tessera::reduce
