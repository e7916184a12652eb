#include "reduce/input/regrouped_array.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/idle_objects.hpp"
#include "reduce/input/axis_groups.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/each_element.hpp"
#include "statistics/number_pairs.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {
namespace {

using base::ElementType;
using store::ArrayInfo;

/// Elements of a piece: all groups of some outputs, if they fit.
// crossed by: test_of_more_elements_than_a_piece
constexpr std::int64_t kRegroupedBytes = std::int64_t{8} << 20;
// crossed by: test_of_more_elements_than_a_piece
constexpr std::int64_t kRegroupedOutputs = 32768;

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
        of_pairs_(&x_->shown() != x_.get()),
        widens_(!base::is_floating(x_->info().type)),
        most_(groups_.largest()) {
    info_ = x_->info();
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

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    fill(elements);
    readers_.lend([&](Reader& reader) {
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
    const plan::Shape strides = store::packed_strides(own.extent, element_bytes_);
    const plan::Shape all = store::packed_strides(box.extent, element_bytes_);
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

  std::unique_ptr<store::ArraySource> x_;
  AxisGroups groups_;
  bool of_pairs_;
  bool widens_;
  bool keeps_markers_ = false;
  std::int64_t most_;
  std::uint64_t filling_ = 0;
  std::size_t element_bytes_ = 1;
  mutable base::IdleObjects<Reader> readers_{[this] { return std::make_unique<Reader>(*x_); }};
};

}  // namespace

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
  return std::make_unique<SortedAxis>(std::move(x), find_groups(job, shown));
}

}  // namespace tessera::reduce
