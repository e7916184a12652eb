#include "plan/array_pieces.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/box_rows.hpp"

namespace tessera::plan {

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Shape coordinates_of(std::int64_t number, const Shape& shape) {
  Shape coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = number % shape[d];
    number /= shape[d];
  }
  return coordinates;
}

Shape box_of_rows(const Shape& shape, std::int64_t elements) {
  Shape box(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 0 && elements > 1;) {
    box[d] = std::clamp<std::int64_t>(shape[d], 1, elements);
    elements /= box[d];
  }
  return box;
}

Shape Box::place_of(std::int64_t element) const {
  Shape place = coordinates_of(element, extent);
  for (std::size_t d = 0; d < place.size(); ++d) place[d] += origin[d];
  return place;
}

ArrayPieces ArrayPieces::runs(Shape shape, StorageOrder order, std::int64_t run_elements) {
  ArrayPieces pieces;
  pieces.shape_ = std::move(shape);
  // With at most one dimension longer than 1, both orders are the same.
  const auto longer = std::ranges::count_if(pieces.shape_, [](auto side) { return side > 1; });
  if (longer > 1) pieces.order_ = order;
  pieces.elements_ = element_count(pieces.shape_);
  pieces.run_elements_ = run_elements;
  pieces.count_ = (pieces.elements_ + run_elements - 1) / run_elements;
  return pieces;
}

ArrayPieces ArrayPieces::runs(Shape shape, const std::vector<std::size_t>& axes,
                              std::int64_t run_elements) {
  std::vector<std::size_t> longer;
  for (const std::size_t axis : axes) {
    if (shape[axis] > 1) longer.push_back(axis);
  }
  const bool fortran = longer.size() > 1 && std::ranges::is_sorted(longer);
  const bool c_order = std::ranges::is_sorted(longer, std::ranges::greater());
  ArrayPieces pieces =
      runs(std::move(shape),
           fortran ? StorageOrder::first_dimension_fastest : StorageOrder::last_dimension_fastest,
           run_elements);
  if (!fortran && !c_order) pieces.axes_ = std::move(longer);
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

ArrayPieces ArrayPieces::joined(std::vector<ArrayPieces> parts) {
  ArrayPieces pieces;
  pieces.shape_ = parts.front().shape_;
  pieces.shape_.front() = 0;
  for (const ArrayPieces& part : parts) {
    pieces.first_rows_.push_back(pieces.shape_.front());
    pieces.first_pieces_.push_back(pieces.count_);
    pieces.first_indices_.push_back(pieces.elements_);
    pieces.shape_.front() += part.shape_.front();
    pieces.count_ += part.count_;
    pieces.elements_ += part.elements_;
  }
  pieces.parts_ = std::move(parts);
  return pieces;
}

ArrayPieces::Place ArrayPieces::locate(std::int64_t piece) const {
  const auto behind = std::ranges::upper_bound(first_pieces_, piece);
  const auto part = static_cast<std::size_t>(behind - first_pieces_.begin()) - 1;
  return {part, piece - first_pieces_[part]};
}

Shape ArrayPieces::part_rows() const {
  Shape rows;
  for (const ArrayPieces& part : parts_) rows.push_back(part.shape_.front());
  return rows;
}

std::size_t ArrayPieces::part_at(std::int64_t row) const {
  const auto behind = std::ranges::upper_bound(first_rows_, row);
  return static_cast<std::size_t>(behind - first_rows_.begin()) - 1;
}

std::int64_t ArrayPieces::end_of_part(std::int64_t piece) const {
  if (parts_.empty()) return count_;
  const std::size_t part = locate(piece).part;
  return first_pieces_[part] + parts_[part].count_;
}

bool ArrayPieces::in_order() const {
  return order_ == StorageOrder::last_dimension_fastest && axes_.empty() &&
         std::ranges::all_of(parts_, &ArrayPieces::in_order);
}

bool ArrayPieces::is_consecutive() const {
  return in_order() && !are_boxes() && std::ranges::all_of(parts_, &ArrayPieces::is_consecutive);
}

std::int64_t ArrayPieces::elements(std::int64_t piece) const {
  if (!parts_.empty()) {
    const Place place = locate(piece);
    return parts_[place.part].elements(place.piece);
  }
  if (run_elements_ == 0) return box(piece).elements();
  return std::min(run_elements_, elements_ - first(piece));
}

std::int64_t ArrayPieces::max_elements() const {
  std::int64_t most = 0;
  for (const ArrayPieces& part : parts_) most = std::max(most, part.max_elements());
  return parts_.empty() && count_ > 0 ? elements(0) : most;
}

Box ArrayPieces::box(std::int64_t piece) const {
  Box box{.origin = coordinates_of(piece, grid_), .extent = box_};
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    box.origin[d] *= box_[d];
    box.extent[d] = std::min(box_[d], shape_[d] - box.origin[d]);
  }
  return box;
}

std::int64_t ArrayPieces::piece_at(const Shape& coordinates) const {
  std::int64_t piece = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    piece = piece * grid_[d] + coordinates[d] / box_[d];
  }
  return piece;
}

std::optional<std::int64_t> ArrayPieces::piece_of(const Box& box, StorageOrder order) const {
  if (box.elements() == 0) return std::nullopt;
  if (!parts_.empty()) {
    const std::size_t part = part_at(box.origin.front());
    Box own = box;
    own.origin.front() -= first_rows_[part];
    if (own.origin.front() + own.extent.front() > parts_[part].shape_.front()) return std::nullopt;
    const auto piece = parts_[part].piece_of(own, order);
    if (!piece) return std::nullopt;
    return first_pieces_[part] + *piece;
  }
  if (run_elements_ != 0) return run_of(box, order);
  if (order != StorageOrder::last_dimension_fastest) return std::nullopt;
  const std::int64_t piece = piece_at(box.origin);
  if (this->box(piece) != box) return std::nullopt;
  return piece;
}

std::optional<std::int64_t> ArrayPieces::run_of(const Box& box, StorageOrder order) const {
  if (order_ == StorageOrder::first_dimension_fastest && order != order_) return std::nullopt;
  if (!axes_.empty()) return std::nullopt;
  const auto in_order = [order](const Shape& shape) {
    if (order == StorageOrder::last_dimension_fastest) return shape;
    return Shape(shape.rbegin(), shape.rend());
  };
  const BoxRows rows(in_order(shape_), {in_order(box.origin), in_order(box.extent)});
  const std::int64_t first = rows.first(0);
  if (rows.groups() != 1 || rows.rows() != 1 || first % run_elements_ != 0) return std::nullopt;
  const std::int64_t run = first / run_elements_;
  if (elements(run) != rows.row()) return std::nullopt;
  return run;
}

std::int64_t ArrayPieces::index(std::int64_t piece, std::int64_t element) const {
  if (!parts_.empty()) {
    const Place place = locate(piece);
    return first_indices_[place.part] + parts_[place.part].index(place.piece, element);
  }
  if (run_elements_ != 0 && in_order()) return first(piece) + element;
  std::int64_t index = 0;
  if (!axes_.empty()) {
    std::int64_t place = first(piece) + element;
    Shape coordinates(shape_.size());
    for (const std::size_t axis : axes_) {
      coordinates[axis] = place % shape_[axis];
      place /= shape_[axis];
    }
    for (std::size_t d = 0; d < shape_.size(); ++d) index = index * shape_[d] + coordinates[d];
    return index;
  }
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
  const Shape place = where.place_of(element);
  for (std::size_t d = 0; d < shape_.size(); ++d) index = index * shape_[d] + place[d];
  return index;
}

}  // namespace tessera::plan
