#include "store/arrays/memory_array.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/bools.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::store {

namespace {

using plan::StorageOrder;

/// The dimensions by their strides, the smallest one first; those of one element at the end.
std::vector<std::size_t> by_stride(const job::Shape& shape, const job::Shape& strides) {
  std::vector<std::size_t> axes;
  for (std::size_t d = shape.size(); d-- > 0;) axes.push_back(d);
  std::ranges::stable_sort(axes, {}, [&](std::size_t d) {
    return std::pair(shape[d] <= 1, shape[d] <= 1 ? 0 : std::abs(strides[d]));
  });
  return axes;
}

class MemoryArray : public ArraySource {
 public:
  MemoryArray(const job::ArrayInMemory& layout, std::string name, std::int64_t piece_bytes)
      : ArraySource({.name = std::move(name),
                     .kind = "memory",
                     .type = layout.type,
                     .shape = layout.shape,
                     .is_boolean = layout.is_boolean}),
        owner_(layout.owner),
        element_bytes_(base::element_bytes(layout.type)),
        swap_bytes_(layout.swap_bytes),
        strides_(layout.strides_bytes.empty() ? packed_strides(layout.shape, element_bytes_)
                                              : layout.strides_bytes),
        axes_(by_stride(layout.shape, strides_)),
        first_(layout.bytes.data() + layout.offset_bytes),
        block_(packed_elements()) {
    pieces_ = plan::ArrayPieces::runs(info_.shape, axes_, run_elements(piece_bytes));
    check_inside(layout);
  }

  StorageOrder order() const override { return pieces_.order(); }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const std::int64_t row_elements = axes_.empty() ? 1 : info_.shape[axes_.front()];
    const std::int64_t stride = axes_.empty() ? 0 : strides_[axes_.front()];
    const std::int64_t at = pieces_.first(piece);
    Row row(*this, at / row_elements);
    std::int64_t begin = at % row_elements;
    std::int64_t left = pieces_.elements(piece);
    std::byte* to = elements.data();
    while (true) {
      const std::int64_t some = std::min(left, row_elements - begin);
      copy_row(first_ + row.offset() + begin * stride, stride, some, element_bytes_, to);
      to += static_cast<std::size_t>(some) * element_bytes_;
      left -= some;
      if (left == 0) break;
      begin = 0;
      row.next();
    }
    to_native(elements);
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    copy(box, StorageOrder::last_dimension_fastest, elements);
  }
  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    copy(box, order(), elements);
  }

  std::optional<ElementView> view(std::int64_t first, std::int64_t end) const override {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(first_) % element_bytes_ == 0;
    if (info_.is_boolean || swap_bytes_ || !is_aligned) return std::nullopt;
    const std::int64_t at = pieces_.first(first);
    const std::int64_t past = pieces_.first(end - 1) + pieces_.elements(end - 1);
    if (past <= at || at / block_ != (past - 1) / block_) return std::nullopt;
    return ElementView{
        {first_ + offset_of(at), static_cast<std::size_t>(past - at) * element_bytes_}, owner_};
  }
  std::int64_t end_of_view(std::int64_t piece) const override {
    const std::int64_t block_end = (pieces_.first(piece) / block_ + 1) * block_;
    const std::int64_t whole = block_end / std::max<std::int64_t>(1, pieces_.elements(0));
    return std::clamp<std::int64_t>(whole, piece + 1, pieces_.count());
  }

 private:
  /// The rows along the first of axes_, one after the other: divisions for each would take longer
  /// than to copy a short one.
  class Row {
   public:
    Row(const MemoryArray& array, std::int64_t number)
        : array_(array), places_(array.axes_.empty() ? 0 : array.axes_.size() - 1) {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::size_t d = array.axes_[i + 1];
        places_[i] = number % array.info_.shape[d];
        number /= array.info_.shape[d];
        offset_ += places_[i] * array.strides_[d];
      }
    }
    std::int64_t offset() const { return offset_; }
    void next() {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::size_t d = array_.axes_[i + 1];
        offset_ += array_.strides_[d];
        if (++places_[i] < array_.info_.shape[d]) return;
        offset_ -= places_[i] * array_.strides_[d];
        places_[i] = 0;
      }
    }

   private:
    const MemoryArray& array_;
    std::vector<std::int64_t> places_;
    std::int64_t offset_ = 0;
  };

  void check_inside(const job::ArrayInMemory& layout) const {
    if (plan::element_count(info_.shape) == 0) return;
    std::int64_t lowest = layout.offset_bytes;
    std::int64_t end = layout.offset_bytes + static_cast<std::int64_t>(element_bytes_);
    for (std::size_t d = 0; d < info_.shape.size(); ++d) {
      const std::int64_t reach = (info_.shape[d] - 1) * strides_[d];
      (reach < 0 ? lowest : end) += reach;
    }
    if (lowest >= 0 && end <= std::ssize(layout.bytes)) return;
    throw base::usage_error("{}: has elements in the bytes {} to {}, of {}", info_.name, lowest,
                            end, layout.bytes.size());
  }

  /// So many elements lie one behind the other, from each multiple of their number on.
  std::int64_t packed_elements() const {
    std::int64_t packed = 1;
    for (const std::size_t d : axes_) {
      if (info_.shape[d] <= 1) continue;
      if (strides_[d] != packed * static_cast<std::int64_t>(element_bytes_)) break;
      packed *= info_.shape[d];
    }
    return packed;
  }

  /// Of a piece: where whole blocks of elements lie apart, parts of them, so that none is copied.
  std::int64_t run_elements(std::int64_t piece_bytes) const {
    // crossed by: rows_that_lie_apart_are_not_copied
    constexpr std::int64_t kMinViewedBytes = 4096;
    const auto element = static_cast<std::int64_t>(element_bytes_);
    const std::int64_t most = std::max<std::int64_t>(1, piece_bytes / element);
    const bool is_whole = block_ >= plan::element_count(info_.shape);
    if (is_whole || block_ * element < kMinViewedBytes) return most;
    for (std::int64_t parts = (block_ + most - 1) / most; parts <= block_; ++parts) {
      if (block_ / parts * element < kMinViewedBytes) break;
      if (block_ % parts == 0) return block_ / parts;
    }
    return most;
  }

  /// Of element `at` in the order of the pieces.
  std::int64_t offset_of(std::int64_t at) const {
    std::int64_t offset = 0;
    for (const std::size_t d : axes_) {
      offset += at % info_.shape[d] * strides_[d];
      at /= info_.shape[d];
    }
    return offset;
  }

  void copy(const plan::Box& box, StorageOrder order, std::span<std::byte> elements) const {
    const std::byte* from = first_;
    for (std::size_t d = 0; d < box.origin.size(); ++d) from += box.origin[d] * strides_[d];
    copy_box(from, strides_, elements.data(), packed_strides(box.extent, element_bytes_, order),
             box.extent, element_bytes_);
    to_native(elements);
  }

  void to_native(std::span<std::byte> elements) const {
    if (swap_bytes_) base::swap_byte_order(elements, element_bytes_);
    if (info_.is_boolean) base::make_bools(elements);
  }

  std::shared_ptr<const void> owner_;
  std::size_t element_bytes_;
  bool swap_bytes_;
  job::Shape strides_;
  std::vector<std::size_t> axes_;  ///< in the order in which the pieces go through them
  const std::byte* first_;
  std::int64_t block_;
};

}  // namespace

std::unique_ptr<ArraySource> open_memory(const job::ArrayInput& input, std::int64_t piece_bytes) {
  return std::make_unique<MemoryArray>(*input.memory, input.text, piece_bytes);
}

}  // namespace tessera::store
