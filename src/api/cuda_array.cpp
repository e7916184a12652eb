#include "api/cuda_array.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/source_state.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "device/device_error.hpp"
#include "device/select/registry.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::api {
namespace {

/// Dimensions by the distance of their elements, the greatest first.
std::vector<std::size_t> by_distance(const Shape& strides) {
  std::vector<std::size_t> order(strides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t d) { return std::abs(strides[d]); });
  return order;
}

/// A box as it is copied: packed, in the order of the memory, with each element once.
struct Packed {
  const std::byte* from = nullptr;      ///< its lowest element
  Shape extent, strides;                ///< in the order of the memory; strides are positive
  std::vector<std::size_t> dimensions;  ///< of the array, in that order
};

class CudaArray : public job::ArrayReader {
 public:
  CudaArray(const ArrayView& view, std::unique_ptr<device::ResidentMemory> memory,
            std::shared_ptr<const void> owner)
      : data_(static_cast<const std::byte*>(view.data)),
        type_(view.type),
        element_(base::element_bytes(element_of(view.type))),
        shape_(view.shape),
        strides_(view.strides_bytes),
        memory_(std::move(memory)),
        owner_(std::move(owner)) {
    if (strides_.empty()) strides_ = store::packed_strides(shape_, element_);
  }

  base::ElementType type() const override { return element_of(type_); }
  bool is_boolean() const override { return type_ == Type::boolean; }
  Shape shape() const override { return shape_; }
  void read(std::span<const std::int64_t> origin, std::span<const std::int64_t> extent,
            std::span<std::byte> elements) const override {
    const Shape box(extent.begin(), extent.end());
    const Packed packed = pack(origin, box);
    const auto bytes = static_cast<std::size_t>(plan::element_count(packed.extent)) * element_;
    const Shape c_strides = store::packed_strides(box, element_);
    const Shape packed_strides = strides_in_box(packed, box);
    if (packed_strides == c_strides) return copy(packed, elements.data());
    base::Bytes there(bytes);
    copy(packed, there.data());
    std::int64_t first = 0;  // of the box's first element
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (packed_strides[d] < 0) first -= (box[d] - 1) * packed_strides[d];
    }
    store::copy_box(there.data() + first, packed_strides, elements.data(), c_strides, box,
                    element_);
  }
  std::optional<job::InDeviceMemory> in_device_memory() const override {
    const auto bytes = static_cast<std::size_t>(plan::element_count(shape_)) * element_;
    job::InDeviceMemory found{.device = memory_->device()};
    // Other values than 1 stand for true, too.
    if (is_boolean() || reinterpret_cast<std::uintptr_t>(data_) % element_ != 0) return found;
    auto next = static_cast<std::int64_t>(element_);
    std::size_t last = shape_.size();
    const std::vector<std::size_t> order = by_distance(strides_);
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t d = order[i];
      if (shape_[d] == 1) continue;
      if (strides_[d] != next) return found;
      next *= shape_[d];
      found.c_order &= d < last;
      last = d;
    }
    found.bytes = {data_, bytes};
    found.copy = [this](std::size_t at, std::span<std::byte> to) {
      copy_rows(data_ + at, to.size(), to.size(), 1, to.data());
    };
    found.hold = [this] { return memory_->hold(); };
    return found;
  }

 private:
  Packed pack(std::span<const std::int64_t> origin, const Shape& box) const {
    Packed packed{.from = data_, .dimensions = by_distance(strides_)};
    for (std::size_t d = 0; d < box.size(); ++d) {
      packed.from += (origin[d] + (strides_[d] < 0 ? box[d] - 1 : 0)) * strides_[d];
    }
    for (const std::size_t d : packed.dimensions) {
      packed.extent.push_back(strides_[d] == 0 ? 1 : box[d]);
      packed.strides.push_back(std::abs(strides_[d]));
    }
    return packed;
  }
  /// The strides of the packed elements, one for each dimension of the array. Each has the sign of
  /// the array's own stride.
  Shape strides_in_box(const Packed& packed, const Shape& box) const {
    Shape strides(box.size());
    auto next = static_cast<std::int64_t>(element_);
    for (std::size_t i = box.size(); i-- > 0;) {
      const std::size_t d = packed.dimensions[i];
      strides[d] = strides_[d] == 0 ? 0 : strides_[d] < 0 ? -next : next;
      next *= packed.extent[i];
    }
    return strides;
  }
  /// Rows as long as the memory has elements one behind the other, and as many as are at equal
  /// distances.
  void copy(const Packed& packed, std::byte* to) const {
    std::size_t row = element_;
    std::size_t left = packed.extent.size();
    while (left > 0 && (packed.extent[left - 1] == 1 ||
                        packed.strides[left - 1] == static_cast<std::int64_t>(row))) {
      row *= static_cast<std::size_t>(packed.extent[--left]);
    }
    std::size_t rows = 1, pitch = row;
    if (left > 0) {
      rows = static_cast<std::size_t>(packed.extent[--left]);
      pitch = static_cast<std::size_t>(packed.strides[left]);
    }
    Shape at(left, 0);
    for (bool more = true; more; to += row * rows) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < left; ++d) offset += at[d] * packed.strides[d];
      copy_rows(packed.from + offset, pitch, row, rows, to);
      more = false;
      for (std::size_t d = left; d-- > 0 && !more;) {
        more = ++at[d] < packed.extent[d];
        if (!more) at[d] = 0;
      }
    }
  }
  void copy_rows(const std::byte* from, std::size_t pitch, std::size_t row, std::size_t rows,
                 std::byte* to) const {
    try {
      memory_->copy_rows(from, pitch, row, rows, to);
    } catch (const device::DeviceError& error) {
      throw base::run_error("{}: {}", memory_->device(), error.what());
    }
  }

  const std::byte* data_;
  Type type_;
  std::size_t element_;
  Shape shape_, strides_;
  std::unique_ptr<device::ResidentMemory> memory_;
  std::shared_ptr<const void> owner_;
};

/// Its elements are nowhere.
class EmptyArray : public job::ArrayReader {
 public:
  explicit EmptyArray(const ArrayView& view) : type_(view.type), shape_(view.shape) {}

  base::ElementType type() const override { return element_of(type_); }
  bool is_boolean() const override { return type_ == Type::boolean; }
  Shape shape() const override { return shape_; }
  void read(std::span<const std::int64_t>, std::span<const std::int64_t>,
            std::span<std::byte>) const override {}
  std::optional<job::InDeviceMemory> in_device_memory() const override {
    return job::InDeviceMemory();
  }

 private:
  Type type_;
  Shape shape_;
};

}  // namespace

std::shared_ptr<const job::ArrayReader> open_cuda_array(const ArrayView& view, void* stream,
                                                        std::shared_ptr<const void> owner) {
  if (view.swapped) throw base::usage_error("an array of CUDA: has the other byte order");
  if (!view.strides_bytes.empty() && view.strides_bytes.size() != view.shape.size()) {
    throw base::usage_error("{} strides for {} dimensions", view.strides_bytes.size(),
                            view.shape.size());
  }
  if (plan::element_count(view.shape) == 0) return std::make_shared<EmptyArray>(view);
  try {
    auto memory = device::resident_at("cuda", static_cast<const std::byte*>(view.data), stream);
    return std::make_shared<CudaArray>(view, std::move(memory), std::move(owner));
  } catch (const device::DeviceError& error) {
    throw base::run_error("an array of CUDA: {}", error.what());
  }
}

}  // namespace tessera::api
