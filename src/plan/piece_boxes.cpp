#include "plan/piece_boxes.hpp"

#include <algorithm>

namespace tessera::plan {

namespace {

/// The largest box that begins at element `first` of a C-order array and ends before `end`.
Box box_at(const Shape& shape, std::int64_t first, std::int64_t end) {
  Box box{.origin = coordinates_of(first, shape), .extent = Shape(shape.size(), 1)};
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    box.extent[d] = std::min(shape[d] - box.origin[d], (end - first) / stride);
    stride *= shape[d];
    // Only whole rows, planes and so on are contiguous with the next.
    if (box.origin[d] != 0 || box.extent[d] != shape[d]) break;
  }
  return box;
}

std::vector<Box> boxes_of_run(const Shape& shape, std::int64_t first, std::int64_t end) {
  std::vector<Box> boxes;
  for (; first < end; first += boxes.back().elements()) boxes.push_back(box_at(shape, first, end));
  return boxes;
}

}  // namespace

std::vector<Box> boxes_of(const ArrayPieces& pieces, std::int64_t piece) {
  if (pieces.is_joined()) {
    const ArrayPieces::Place place = pieces.locate(piece);
    std::vector<Box> boxes = boxes_of(pieces.part(place.part), place.piece);
    for (Box& box : boxes) box.origin.front() += pieces.first_row(place.part);
    return boxes;
  }
  if (pieces.are_boxes()) return {pieces.box(piece)};
  const std::int64_t first = pieces.first(piece);
  const std::int64_t end = first + pieces.elements(piece);
  if (pieces.in_order()) return boxes_of_run(pieces.shape(), first, end);
  const auto turn = [](Shape& shape) { std::ranges::reverse(shape); };
  Shape turned = pieces.shape();
  turn(turned);
  std::vector<Box> boxes = boxes_of_run(turned, first, end);
  for (Box& box : boxes) {
    turn(box.origin);
    turn(box.extent);
  }
  return boxes;
}

std::vector<PartBox> parts_of(const ArrayPieces& joined, const Box& box) {
  std::vector<PartBox> parts;
  const std::int64_t end = box.origin.front() + box.extent.front();
  for (std::int64_t row = box.origin.front(); row < end;) {
    PartBox& mine = parts.emplace_back(PartBox{.part = joined.part_at(row), .box = box});
    const std::int64_t first = joined.first_row(mine.part);
    mine.box.origin.front() = row - first;
    mine.box.extent.front() = std::min(end, first + joined.part(mine.part).shape().front()) - row;
    row += mine.box.extent.front();
  }
  return parts;
}

std::vector<std::int64_t> pieces_meeting(const ArrayPieces& boxes, const Box& box) {
  const Box side = boxes.box(0);
  Box grid = box;  // in units of pieces
  for (std::size_t d = 0; d < box.origin.size(); ++d) {
    const std::int64_t end = box.origin[d] + box.extent[d];
    grid.origin[d] = box.origin[d] / side.extent[d];
    grid.extent[d] = (end + side.extent[d] - 1) / side.extent[d] - grid.origin[d];
  }
  std::vector<std::int64_t> pieces;
  for (std::int64_t i = 0; i < grid.elements(); ++i) {
    Shape inside = grid.place_of(i);
    for (std::size_t d = 0; d < inside.size(); ++d) inside[d] *= side.extent[d];
    pieces.push_back(boxes.piece_at(inside));
  }
  return pieces;
}

bool meet(const Box& a, const Box& b) {
  for (std::size_t d = 0; d < a.origin.size(); ++d) {
    if (a.origin[d] >= b.origin[d] + b.extent[d] || b.origin[d] >= a.origin[d] + a.extent[d]) {
      return false;
    }
  }
  return true;
}

Box common(const Box& a, const Box& b) {
  Box both = a;
  for (std::size_t d = 0; d < a.origin.size(); ++d) {
    both.origin[d] = std::max(a.origin[d], b.origin[d]);
    const std::int64_t end = std::min(a.origin[d] + a.extent[d], b.origin[d] + b.extent[d]);
    both.extent[d] = std::max<std::int64_t>(0, end - both.origin[d]);
  }
  return both;
}

}  // namespace tessera::plan
