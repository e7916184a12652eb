#include "store/arrays/sliced_array.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "store/arrays/strided_copy.hpp"

namespace tessera::store {
namespace {

using Ranges = std::vector<job::SliceRange>;

class SlicedArray : public ArraySource {
 public:
  SlicedArray(std::unique_ptr<ArraySource> array, Ranges ranges, const std::string& name,
              std::int64_t piece_bytes)
      : ArraySource(array->info()), array_(std::move(array)), ranges_(std::move(ranges)) {
    info_.name = name;
    info_.shape.clear();
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      if (ranges_[d].count <= 1) ranges_[d].step = 1;
      if (ranges_[d].drops) continue;
      kept_.push_back(d);
      info_.shape.push_back(ranges_[d].count);
    }
    set_dimensions(sliced_dimensions());
    set_texts(array_->texts());
    element_bytes_ = base::element_bytes(info_.type);
    piece_ = piece_shape(piece_bytes);
    pieces_ = plan::ArrayPieces::boxes(info_.shape, piece_);
  }

  plan::Shape chunk_shape() const override {
    return array_->chunk_shape().empty() ? plan::Shape() : chunk();
  }
  std::uint64_t read_memory_bytes() const override {
    std::uint64_t spanned = element_bytes_;
    const std::size_t apart = dimensions_apart();
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (kept_[k] < apart) continue;
      spanned *= static_cast<std::uint64_t>(spanned_by(piece_[k], ranges_[kept_[k]]));
    }
    return array_->read_memory_bytes() + spanned;
  }
  std::uint64_t read_bytes_each() const override { return array_->read_bytes_each(); }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    plan::Shape origin(ranges_.size()), count(ranges_.size(), 1);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      origin[kept_[k]] = box.origin[k];
      count[kept_[k]] = box.extent[k];
    }
    read_from(0, dimensions_apart(), origin, count, elements);
  }

 private:
  /// From the first to the last of `count` elements.
  static std::int64_t spanned_by(std::int64_t count, const job::SliceRange& range) {
    return count == 0 ? 0 : (count - 1) * range.step + 1;
  }
  /// So many dimensions are gone through one index at a time: of an array without chunks, rows that
  /// no step takes are not read.
  std::size_t dimensions_apart() const {
    if (!array_->chunk_shape().empty()) return 0;
    std::size_t apart = 0;
    for (std::size_t d = 0; d + 1 < ranges_.size(); ++d) {
      if (ranges_[d].step > 1) apart = d + 1;
    }
    return apart;
  }
  /// With the same slice of their coordinates.
  std::vector<Dimension> sliced_dimensions() const {
    std::vector<Dimension> dimensions;
    for (const std::size_t d : kept_) {
      if (array_->dimensions().empty()) break;
      const job::SliceRange& range = ranges_[d];
      dimensions.push_back(array_->dimensions()[d]);
      const std::int64_t stop = range.start + range.count * range.step;
      std::vector<job::ArrayInput>& coordinates = dimensions.back().coordinates;
      const job::SlicePart part{.start = range.start, .stop = stop, .step = range.step};
      if (coordinates.size() == 1 && coordinates.front().slice.empty()) {
        coordinates.front().slice = {part};
        coordinates.front().tail += fmt::format("[{}:{}:{}]", range.start, stop, range.step);
      } else {
        dimensions.back().slices.push_back(part);
      }
    }
    return dimensions;
  }
  plan::Shape chunk() const {
    const plan::Shape inner = array_->chunk_shape();
    plan::Shape sides;
    for (const std::size_t d : kept_) {
      sides.push_back(std::clamp<std::int64_t>(inner[d] / ranges_[d].step, 1,
                                               std::max<std::int64_t>(1, ranges_[d].count)));
    }
    return sides;
  }
  plan::Shape piece_shape(std::int64_t piece_bytes) const {
    if (!array_->chunk_shape().empty()) return chunk();
    const std::int64_t each = static_cast<std::int64_t>(element_bytes_) * ranges_.back().step;
    return plan::box_of_rows(info_.shape, std::max<std::int64_t>(1, piece_bytes / each));
  }

  /// Goes through the dimensions below `apart` one index at a time.
  void read_from(std::size_t dimension, std::size_t apart, plan::Shape& origin, plan::Shape& count,
                 std::span<std::byte> elements) const {
    if (dimension == apart) return read_spanned(origin, count, elements);
    const std::int64_t first = origin[dimension], all = count[dimension];
    const std::size_t each = elements.size() / static_cast<std::size_t>(all);
    count[dimension] = 1;
    for (std::int64_t i = 0; i < all; ++i) {
      origin[dimension] = first + i;
      read_from(dimension + 1, apart, origin, count,
                elements.subspan(static_cast<std::size_t>(i) * each, each));
    }
    origin[dimension] = first;
    count[dimension] = all;
  }

  /// Reads from the first to the last element, and keeps those that the steps take.
  void read_spanned(const plan::Shape& origin, const plan::Shape& count,
                    std::span<std::byte> elements) const {
    plan::Box span{origin, count};
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      const job::SliceRange& range = ranges_[d];
      span.origin[d] = range.start + origin[d] * range.step;
      span.extent[d] = spanned_by(count[d], range);
    }
    if (span.extent == count) return array_->read_box(span, elements);
    // Taken while it is used: `array_` may be a slice too, and come here again.
    thread_local std::vector<std::byte> kept_scratch;
    std::vector<std::byte> scratch = std::move(kept_scratch);
    scratch.resize(static_cast<std::size_t>(span.elements()) * element_bytes_);
    array_->read_box(span, scratch);
    plan::Shape from = packed_strides(span.extent, element_bytes_);
    for (std::size_t d = 0; d < ranges_.size(); ++d) from[d] *= ranges_[d].step;
    copy_box(scratch.data(), from, elements.data(), packed_strides(count, element_bytes_), count,
             element_bytes_);
    kept_scratch = std::move(scratch);
  }

  std::unique_ptr<ArraySource> array_;
  Ranges ranges_;
  std::vector<std::size_t> kept_;  ///< dimensions of `array_`
  std::size_t element_bytes_ = 1;
  plan::Shape piece_;
};

}  // namespace

std::unique_ptr<ArraySource> slice_array(std::unique_ptr<ArraySource> array,
                                         const job::ArraySlice& slice, const std::string& name,
                                         std::int64_t piece_bytes) {
  const job::Shape& shape = array->info().shape;
  Ranges ranges = job::slice_ranges(slice, shape, array->dimension_names(), name);
  bool takes_all = true;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    takes_all &= !ranges[d].drops && ranges[d].count == shape[d];
  }
  if (takes_all) return array;
  return std::make_unique<SlicedArray>(std::move(array), std::move(ranges), name, piece_bytes);
}

}  // namespace tessera::store
