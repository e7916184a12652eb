#include "reduce/input/regrouped_array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/column_names.hpp"
#include "reduce/input/key_bins.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/paired_array.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/each_element.hpp"
#include "statistics/number_pairs.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {
namespace {

using base::ElementType;
using plan::StorageOrder;
using store::ArrayInfo;

/// Elements of a piece: all groups of some outputs, if they fit.
// crossed by: test_of_more_elements_than_a_piece
constexpr std::int64_t kRegroupedBytes = std::int64_t{8} << 20;
// crossed by: test_of_more_elements_than_a_piece
constexpr std::int64_t kRegroupedOutputs = 32768;
constexpr std::int64_t kKeyPieceBytes = std::int64_t{1} << 20;
/// The array with elements for all groups may be so many times as large.
// not crossed: only refuses
constexpr std::int64_t kMaxFilling = 16;

std::string by_text(const job::ReduceJob& job) {
  return "--by " + job::keys_text(job);
}

/// The bits of a NaN that no other element has, for elements that fill up.
std::uint64_t filling_bits(ElementType type) {
  if (type == ElementType::f16) return 0x7e51;
  return type == ElementType::f32 ? 0x7fc5'4553 : statistics::kNoPair;
}

class SortedAxis : public RegroupedArray {
 public:
  SortedAxis(std::unique_ptr<store::ArraySource> x, AxisGroups groups)
      : x_(std::move(x)),
        groups_(std::move(groups)),
        info_(x_->info()),
        of_pairs_(&x_->shown() != x_.get()),
        widens_(!base::is_floating(info_.type)),
        most_(groups_.largest()) {
    info_.shape[groups_.axis] = most_;
    info_.shape.insert(info_.shape.begin(), std::ssize(groups_.positions));
    if (widens_) {
      info_.type = ElementType::f64;
      info_.is_boolean = false;
    }
    keeps_markers_ = info_.missing && !widens_;
    filling_ = keeps_markers_ ? info_.missing->fill : filling_bits(info_.type);
    if (!of_pairs_ && !keeps_markers_) info_.missing = {.fill = filling_, .range = filling_};
    element_bytes_ = base::element_bytes(info_.type);
    pieces_ = plan::ArrayPieces::boxes(info_.shape, grain());
  }

  const ArrayInfo& info() const override { return info_; }
  const plan::ArrayPieces& pieces() const override { return pieces_; }
  const store::ArraySource& shown() const override { return x_->shown(); }
  int dimensions_before() const override { return 1; }
  std::int64_t added() const override {
    std::int64_t used = 0;
    for (const auto& positions : groups_.positions) used += std::ssize(positions);
    const auto all = std::ssize(groups_.positions) * most_;
    const std::int64_t others = plan::element_count(shown().info().shape) /
                                std::max<std::int64_t>(1, shown().info().shape[groups_.axis]);
    return (all - used) * others;
  }
  plan::Shape chunk_shape() const override { return grain(); }
  std::uint64_t read_bytes_each() const override { return x_->read_bytes_each(); }
  std::uint64_t read_memory_bytes() const override {
    return PieceReader::memory_bytes(*x_) +
           2 * element_bytes_ * std::uint64_t(pieces_.max_elements());
  }
  const store::WrittenScale& scale() const override { return groups_.scale; }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    read_box(pieces_.box(piece), elements);
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    fill(elements);
    with_reader([&](Reader& reader) {
      const std::int64_t first = box.origin.front(), end = first + box.extent.front();
      if (span_of(box, first, end).length <= spans_each(box, first, end)) {
        return copy_groups(box, first, end, reader, elements);
      }
      for (std::int64_t group = first; group < end; ++group) {
        copy_groups(box, group, group + 1, reader, elements);
      }
    });
  }

 private:
  struct Reader {
    explicit Reader(const store::ArraySource& x) : pieces(x, 0) {}
    PieceReader pieces;
    base::Bytes stored, elements;
  };
  struct Span {
    std::int64_t first = 0, length = 0;
  };

  /// The extents of a piece: along the axis whole, unless that alone is too much.
  plan::Shape grain() const {
    const auto groups = std::ssize(groups_.positions);
    const auto bytes = static_cast<std::int64_t>(element_bytes_);
    plan::Shape sides(info_.shape.size(), 1);
    sides.front() = std::max<std::int64_t>(1, groups);
    const std::int64_t room = std::max<std::int64_t>(1, kRegroupedBytes / bytes / sides.front());
    const std::size_t along = groups_.axis + 1;
    const std::int64_t last = of_pairs_ ? 2 : 1;
    sides[along] = std::clamp<std::int64_t>(room / last, 1, std::max<std::int64_t>(1, most_));
    std::int64_t outputs = std::max<std::int64_t>(1, kRegroupedOutputs / sides.front());
    std::int64_t elements = std::max<std::int64_t>(1, room / sides[along]);
    if (of_pairs_) sides.back() = 2;
    if (of_pairs_) elements = std::max<std::int64_t>(1, elements / 2);
    const plan::Shape chunk = x_->chunk_shape();
    for (std::size_t d = info_.shape.size() - (of_pairs_ ? 1 : 0); d-- > 1;) {
      if (d == along) continue;
      const std::int64_t most = chunk.empty() ? info_.shape[d] : chunk[d - 1];
      sides[d] =
          std::clamp<std::int64_t>(std::min(elements, outputs), 1,
                                   std::max<std::int64_t>(1, std::min(most, info_.shape[d])));
      elements /= sides[d];
      outputs /= sides[d];
    }
    return sides;
  }

  void fill(std::span<std::byte> elements) const {
    for (std::size_t at = 0; at < elements.size(); at += element_bytes_) {
      std::memcpy(&elements[at], &filling_, element_bytes_);
    }
  }

  /// The positions along the axis that the box has of a group.
  std::span<const std::int64_t> positions_in(const plan::Box& box, std::int64_t group) const {
    const std::span<const std::int64_t> all = groups_.positions[static_cast<std::size_t>(group)];
    const std::size_t along = groups_.axis + 1;
    const auto first = std::min(static_cast<std::size_t>(box.origin[along]), all.size());
    const auto count = std::min(static_cast<std::size_t>(box.extent[along]), all.size() - first);
    return all.subspan(first, count);
  }
  /// From the first to the last position of the groups [first, end).
  Span span_of(const plan::Box& box, std::int64_t first, std::int64_t end) const {
    std::int64_t from = std::numeric_limits<std::int64_t>::max(), to = 0;
    for (std::int64_t group = first; group < end; ++group) {
      const auto positions = positions_in(box, group);
      if (positions.empty()) continue;
      from = std::min(from, positions.front());
      to = std::max(to, positions.back() + 1);
    }
    return from < to ? Span{from, to - from} : Span{};
  }
  std::int64_t spans_each(const plan::Box& box, std::int64_t first, std::int64_t end) const {
    std::int64_t all = 0;
    for (std::int64_t group = first; group < end; ++group) {
      all += span_of(box, group, group + 1).length;
    }
    return all;
  }

  /// Reads what lies between the first and the last element of some groups, in parts of a bounded
  /// length, and copies those that belong to the groups.
  void copy_groups(const plan::Box& box, std::int64_t first, std::int64_t end, Reader& reader,
                   std::span<std::byte> to) const {
    const Span span = span_of(box, first, end);
    plan::Box own{{box.origin.begin() + 1, box.origin.end()},
                  {box.extent.begin() + 1, box.extent.end()}};
    own.extent[groups_.axis] = 1;
    const std::int64_t each = own.elements() * static_cast<std::int64_t>(element_bytes_);
    std::int64_t part =
        std::max<std::int64_t>(1, 2 * kRegroupedBytes / std::max<std::int64_t>(1, each));
    if (const plan::Shape chunk = x_->chunk_shape(); !chunk.empty()) {
      part = std::max<std::int64_t>(1, part / chunk[groups_.axis]) * chunk[groups_.axis];
    }
    for (std::int64_t from = span.first; from < span.first + span.length;) {
      // Parts end where chunks do.
      const std::int64_t until = std::min(span.first + span.length, (from / part + 1) * part);
      own.origin[groups_.axis] = from;
      own.extent[groups_.axis] = until - from;
      copy_part(box, first, end, own, reader, to);
      from = until;
    }
  }

  void copy_part(const plan::Box& box, std::int64_t first, std::int64_t end, const plan::Box& own,
                 Reader& reader, std::span<std::byte> to) const {
    const std::int64_t from = own.origin[groups_.axis], until = from + own.extent[groups_.axis];
    const auto is_needed = [&](std::int64_t group) {
      const auto positions = positions_in(box, group);
      const auto next = std::ranges::lower_bound(positions, from);
      return next != positions.end() && *next < until;
    };
    bool needed = false;
    for (std::int64_t group = first; group < end && !needed; ++group) needed = is_needed(group);
    if (!needed) return;
    const std::span<const std::byte> elements = read_own(own, reader);
    const plan::Shape strides =
        store::packed_strides(own.extent, element_bytes_, StorageOrder::last_dimension_fastest);
    const plan::Shape all =
        store::packed_strides(box.extent, element_bytes_, StorageOrder::last_dimension_fastest);
    const plan::Shape to_strides(all.begin() + 1, all.end());
    plan::Shape one = own.extent;
    one[groups_.axis] = 1;
    for (std::int64_t group = first; group < end; ++group) {
      const auto positions = positions_in(box, group);
      std::byte* const of_group = to.data() + (group - box.origin.front()) * all.front();
      for (auto at = std::ranges::lower_bound(positions, from);
           at != positions.end() && *at < until; ++at) {
        store::copy_box(elements.data() + (*at - from) * strides[groups_.axis], strides,
                        of_group + (at - positions.begin()) * to_strides[groups_.axis], to_strides,
                        one, element_bytes_);
      }
    }
  }

  /// The elements of the box of x, in the type of this array.
  std::span<const std::byte> read_own(const plan::Box& own, Reader& reader) const {
    const ArrayInfo& from = x_->info();
    const auto count = static_cast<std::size_t>(own.elements());
    reader.stored.resize(count * base::element_bytes(from.type));
    reduce::read_box(*x_, own, reader.pieces, reader.stored);
    reader.pieces.release();
    if (!widens_) {
      if (!of_pairs_ && !keeps_markers_) keep_apart(reader.stored);
      return reader.stored;
    }
    reader.elements.resize(count * element_bytes_);
    std::byte* to = reader.elements.data();
    statistics::for_each_real(reader.stored, from.type, [&](double x) {
      std::memcpy(to, &x, sizeof x);
      to += sizeof x;
    });
    if (from.missing) mark_missing(reader);
    return reader.elements;
  }

  /// Integers that stand for missing ones.
  void mark_missing(Reader& reader) const {
    const ArrayInfo& from = x_->info();
    const std::size_t bytes = base::element_bytes(from.type);
    for (std::size_t i = 0; i * bytes < reader.stored.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &reader.stored[i * bytes], bytes);
      if (bits != from.missing->fill && bits != from.missing->range) continue;
      std::memcpy(&reader.elements[i * element_bytes_], &filling_, element_bytes_);
    }
  }

  /// A NaN of the data is never what fills up.
  void keep_apart(std::span<std::byte> elements) const {
    for (std::size_t at = 0; at < elements.size(); at += element_bytes_) {
      if (std::memcmp(&elements[at], &filling_, element_bytes_) != 0) continue;
      const std::uint64_t other = filling_ ^ 1;
      std::memcpy(&elements[at], &other, element_bytes_);
    }
  }

  template <class Use>
  void with_reader(const Use& use) const {
    std::unique_ptr<Reader> reader;
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        reader = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!reader) reader = std::make_unique<Reader>(*x_);
    use(*reader);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(reader));
  }

  std::unique_ptr<store::ArraySource> x_;
  AxisGroups groups_;
  ArrayInfo info_;
  bool of_pairs_;
  bool widens_;
  bool keeps_markers_ = false;
  std::int64_t most_;
  std::uint64_t filling_ = 0;
  std::size_t element_bytes_ = 1;
  plan::ArrayPieces pieces_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Reader>> idle_;  ///< that no thread uses at the moment
};

/// The axis along which the keys lie: the only one of the job, if they have one dimension of its
/// length; otherwise the only one of theirs that does not repeat.
std::size_t axis_of(const job::ReduceJob& job, const store::ArraySource& x,
                    const store::ArraySource& keys) {
  const job::Shape& shape = x.info().shape;
  const std::vector<bool> reduced =
      job::reduced_dimensions(job.axes, shape, x.dimension_names(), x.info().name);
  const job::Shape& own = keys.info().shape;
  const auto only = static_cast<std::size_t>(std::ranges::find(reduced, true) - reduced.begin());
  const bool is_one = std::ranges::count(reduced, true) == 1 && own.size() == 1;
  if (is_one && own.front() == shape[only]) return only;
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
  return groups;
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

std::int64_t AxisGroups::largest() const {
  std::size_t most = 0;
  for (const auto& one : positions) most = std::max(most, one.size());
  return static_cast<std::int64_t>(most);
}

std::unique_ptr<RegroupedArray> open_regrouped(const job::ReduceJob& job,
                                               std::unique_ptr<store::ArraySource> x) {
  const store::ArraySource& shown = x->shown();
  const ElementType type = x->info().type;
  if (!base::is_floating(type) && base::element_bytes(type) == 8) {
    throw base::usage_error(
        "{}: with --axis, elements are floats or integers of up to 32 bits; --map 'f8(a)' converts "
        "them",
        by_text(job));
  }
  AxisGroups groups = find_groups(job, shown);
  check_sizes(job, groups, shown.info().shape);
  return std::make_unique<SortedAxis>(std::move(x), std::move(groups));
}

}  // namespace tessera::reduce
