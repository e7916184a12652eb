#include "reduce/groups/broadcast_array.hpp"

#include <algorithm>
#include <utility>

#include "plan/piece_boxes.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {
namespace {

class BroadcastArray : public store::ArraySource {
 public:
  BroadcastArray(std::unique_ptr<store::ArraySource> array, std::vector<std::size_t> places,
                 plan::Shape shape, std::int64_t run_elements)
      : ArraySource(array->info(),
                    plan::ArrayPieces::runs(shape, plan::StorageOrder::last_dimension_fastest,
                                            std::max<std::int64_t>(1, run_elements))),
        array_(std::move(array)),
        places_(std::move(places)) {
    info_.shape = std::move(shape);
  }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    for (const plan::Box& box : plan::boxes_of(pieces_, piece)) {
      const std::size_t bytes = static_cast<std::size_t>(box.elements()) * element_bytes();
      read_box(box, elements.first(bytes));
      elements = elements.subspan(bytes);
    }
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    const plan::Box own = own_box(box);
    std::vector<std::byte> some(static_cast<std::size_t>(own.elements()) * element_bytes());
    array_->read_box(own, some);
    const plan::Shape own_strides = store::packed_strides(own.extent, element_bytes());
    plan::Shape strides(box.extent.size(), 0);
    for (std::size_t d = 0; d < places_.size(); ++d) {
      if (own.extent[d] > 1) strides[places_[d]] = own_strides[d];
    }
    store::copy_box(some.data(), strides, elements.data(),
                    store::packed_strides(box.extent, element_bytes()), box.extent,
                    element_bytes());
  }

 private:
  std::size_t element_bytes() const { return base::element_bytes(info_.type); }

  /// The part of the smaller array that the box repeats.
  plan::Box own_box(const plan::Box& box) const {
    const plan::Shape& shape = array_->info().shape;
    plan::Box own{plan::Shape(shape.size(), 0), plan::Shape(shape.size(), 1)};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;
      own.origin[d] = box.origin[places_[d]];
      own.extent[d] = box.extent[places_[d]];
    }
    return own;
  }

  std::unique_ptr<store::ArraySource> array_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::unique_ptr<store::ArraySource> broadcast(std::unique_ptr<store::ArraySource> array,
                                              std::vector<std::size_t> places, plan::Shape shape,
                                              std::int64_t run_elements) {
  return std::make_unique<BroadcastArray>(std::move(array), std::move(places), std::move(shape),
                                          run_elements);
}

}  // namespace tessera::reduce
