#include "reduce/input/axis_groups.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/input/column_names.hpp"
#include "reduce/input/key_bins.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/paired_array.hpp"
#include "statistics/half.hpp"

namespace tessera::reduce {
namespace {

using base::ElementType;
using store::ArrayInfo;

constexpr std::int64_t kKeyPieceBytes = std::int64_t{1} << 20;
/// The array with elements for all groups may be so many times as large.
// not crossed: only refuses
constexpr std::int64_t kMaxFilling = 16;

/// The axis along which the keys lie: the only one of the job, if they have one dimension of its
/// length, and names do not say otherwise; else the only one of theirs that does not repeat.
std::size_t axis_of(const job::ReduceJob& job, const store::ArraySource& x,
                    const store::ArraySource& keys) {
  const job::Shape& shape = x.info().shape;
  const std::vector<bool> reduced =
      job::reduced_dimensions(job.axes, shape, x.dimension_names(), x.info().name);
  const job::Shape& own = keys.info().shape;
  const auto only = static_cast<std::size_t>(std::ranges::find(reduced, true) - reduced.begin());
  const bool is_one = std::ranges::count(reduced, true) == 1 && own.size() == 1;
  if (is_one && own.front() == shape[only] && !(says_where(x) && says_where(keys))) return only;
  const std::vector<std::size_t> places = places_in(x, keys, {.what = by_text(job)});
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (own[d] > 1) axes.push_back(places[d]);
  }
  if (axes.size() == 1 && reduced[axes.front()]) return axes.front();
  throw base::usage_error(
      "{}: with --axis, keys lie along one of its axes; these are {}, and {} is {}; without --axis "
      "they may have any shape",
      by_text(job), job::format_shape(own), x.info().name, job::format_shape(shape));
}

/// The keys along the axis, or the numbers of their bins; nothing where an element is in no group.
std::vector<std::optional<std::int64_t>> read_keys(
    const job::ReduceJob& job, const store::ArraySource& keys,
    const std::optional<statistics::HistogramBins>& bins) {
  const ArrayInfo& info = keys.info();
  const auto count = static_cast<std::size_t>(plan::element_count(info.shape));
  std::vector<std::byte> elements(count * base::element_bytes(info.type));
  if (count > 0) keys.read_box({plan::Shape(info.shape.size()), info.shape}, elements);
  std::vector<std::optional<std::int64_t>> found;
  base::with_element_type(info.type, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &elements[i * sizeof(T)], sizeof(T));
      T key;
      std::memcpy(&key, &elements[i * sizeof(T)], sizeof(T));
      const bool is_missing =
          info.missing && (bits == info.missing->fill || bits == info.missing->range);
      if (is_missing) {
        found.emplace_back();
      } else if (bins) {
        const double number = info.type == ElementType::f16
                                  ? statistics::widen_half(static_cast<std::uint16_t>(bits))
                                  : static_cast<double>(key);
        const std::size_t bin = bins->find(number);
        const bool is_inside = bin != statistics::HistogramBins::kOutside;
        found.push_back(is_inside ? std::optional(static_cast<std::int64_t>(bin)) : std::nullopt);
      } else if (std::is_unsigned_v<T> && sizeof(T) == 8 && bits >> 63 != 0) {
        throw base::usage_error("{}: the key {} is beyond 2^63", by_text(job), bits);
      } else {
        found.push_back(static_cast<std::int64_t>(+key));
      }
    }
  });
  return found;
}

void put_scale(const std::vector<std::int64_t>& keys,
               const std::optional<statistics::HistogramBins>& bins, store::WrittenScale& scale) {
  scale.length = std::ssize(keys);
  scale.values.resize(keys.size() * sizeof(double));
  if (bins) {
    std::memcpy(scale.values.data(), bins->edges().data(), scale.values.size());
  } else {
    scale.type = ElementType::i64;
    std::memcpy(scale.values.data(), keys.data(), scale.values.size());
  }
}

void check_sizes(const job::ReduceJob& job, const AxisGroups& groups, const job::Shape& shape) {
  const auto all = std::ssize(groups.positions) * groups.largest();
  const std::int64_t side = shape[groups.axis];
  if (all <= kMaxFilling * std::max<std::int64_t>(side, 256)) return;
  throw base::usage_error(
      "{}: has {}, the largest with {}; with --axis they must not be of so different sizes; "
      "without --axis there is a table of any groups",
      by_text(job), base::count_of(std::ssize(groups.positions), "group"),
      base::count_of(groups.largest(), "element"));
}

}  // namespace

std::string by_text(const job::ReduceJob& job) {
  return "--by " + job::keys_text(job);
}

std::int64_t AxisGroups::largest() const {
  std::size_t most = 0;
  for (const auto& one : positions) most = std::max(most, one.size());
  return static_cast<std::int64_t>(most);
}

AxisGroups find_groups(const job::ReduceJob& job, const store::ArraySource& x) {
  const job::ArrayInput input = job::key_input(job, 0);
  const auto keys = open_input(std::span(&input, 1), kKeyPieceBytes, MissingAs::no_element);
  AxisGroups groups{.axis = axis_of(job, x, *keys)};
  std::optional<statistics::HistogramBins> bins;
  if (!job.bins.empty()) bins = parse_bins(job.bins);
  if (base::is_floating(keys->info().type) && !bins) {
    throw base::usage_error("{}: has floats; say how they are grouped, as --bins LO,HI,N",
                            by_text(job));
  }
  std::map<std::int64_t, std::vector<std::int64_t>> found;
  const std::int64_t named = bins ? static_cast<std::int64_t>(bins->count()) : job.groups;
  for (std::int64_t key = 0; key < named; ++key) found[key];
  const auto all = read_keys(job, *keys, bins);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    if (job.groups > 0 && (*all[i] < 0 || *all[i] >= job.groups)) {
      throw base::usage_error("{}: the key at [{}] is {}, and --groups {} are 0 to {}",
                              by_text(job), i, *all[i], job.groups, job.groups - 1);
    }
    found[*all[i]].push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::string> taken;
  groups.scale.name = name_key(input, keys->info(), 0, false, taken);
  std::vector<std::int64_t> labels;
  for (auto& [key, positions] : found) {
    labels.push_back(key);
    groups.positions.push_back(std::move(positions));
  }
  put_scale(labels, bins, groups.scale);
  check_sizes(job, groups, x.info().shape);
  return groups;
}

}  // namespace tessera::reduce
