#include "plan/array_pieces.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::plan {

namespace {

/// Coordinates of element `number` in C order.
Shape coordinates_of(std::int64_t number, const Shape& shape) {
  Shape coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = number % shape[d];
    number /= shape[d];
  }
  return coordinates;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

ArrayPieces ArrayPieces::runs(Shape shape, StorageOrder order, std::int64_t run_elements) {
  ArrayPieces pieces;
  pieces.shape_ = std::move(shape);
  // Of one dimension longer than 1 there is only one order.
  const auto longer = std::ranges::count_if(pieces.shape_, [](auto side) { return side > 1; });
  if (longer > 1) pieces.order_ = order;
  pieces.elements_ = element_count(pieces.shape_);
  pieces.run_elements_ = run_elements;
  pieces.count_ = (pieces.elements_ + run_elements - 1) / run_elements;
  return pieces;
}

ArrayPieces ArrayPieces::boxes(Shape shape, Shape box) {
  ArrayPieces pieces;
  pieces.shape_ = std::move(shape);
  pieces.box_ = std::move(box);
  pieces.elements_ = element_count(pieces.shape_);
  for (std::size_t d = 0; d < pieces.shape_.size(); ++d) {
    pieces.grid_.push_back((pieces.shape_[d] + pieces.box_[d] - 1) / pieces.box_[d]);
  }
  pieces.count_ = element_count(pieces.grid_);
  return pieces;
}

std::int64_t ArrayPieces::elements(std::int64_t piece) const {
  if (run_elements_ == 0) return box(piece).elements();
  return std::min(run_elements_, elements_ - first(piece));
}

std::int64_t ArrayPieces::most_elements() const {
  if (count_ == 0) return 0;
  return elements(0);
}

Box ArrayPieces::box(std::int64_t piece) const {
  Box box{.origin = coordinates_of(piece, grid_), .extent = box_};
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    box.origin[d] *= box_[d];
    box.extent[d] = std::min(box_[d], shape_[d] - box.origin[d]);
  }
  return box;
}

std::int64_t ArrayPieces::index(std::int64_t piece, std::int64_t element) const {
  if (run_elements_ != 0 && in_order()) return first(piece) + element;
  std::int64_t index = 0;
  if (run_elements_ != 0) {  // the first dimension is the fastest
    std::int64_t place = first(piece) + element;
    std::int64_t stride = elements_;
    for (const std::int64_t side : shape_) {
      stride /= side;
      index += place % side * stride;
      place /= side;
    }
    return index;
  }
  const Box where = box(piece);
  const Shape inside = coordinates_of(element, where.extent);
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    index = index * shape_[d] + where.origin[d] + inside[d];
  }
  return index;
}

}  // namespace tessera::plan
