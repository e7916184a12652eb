#include "reduce/input/input_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plan/piece_boxes.hpp"
#include "reduce/input/box_reader.hpp"

namespace tessera::reduce {
namespace {

/// Bytes of a memory-mapped view of each input.
constexpr std::size_t kViewBytesEach = PieceReader::kViewBytes / 4;

/// The box of a broadcast input with the elements for `box` of the result.
plan::Box own_box(const job::Shape& shape, const plan::Box& box) {
  plan::Box own{.origin = plan::Shape(shape.size()), .extent = plan::Shape(shape.size(), 1)};
  const std::size_t missing = box.origin.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    own.origin[d] = box.origin[d + missing];
    own.extent[d] = box.extent[d + missing];
  }
  return own;
}

/// Copies an element for each element of `box`, in C order. `strides`: in elements of `from`, for
/// each dimension of the box.
void expand_box(const std::byte* from, std::span<const std::int64_t> strides, const plan::Box& box,
                std::size_t element_bytes, std::byte* to) {
  const std::int64_t row = box.extent.empty() ? 1 : box.extent.back();
  const std::int64_t step = strides.empty() ? 0 : strides.back();
  plan::Shape at(box.extent.size());
  for (std::int64_t rows = box.elements() / row; rows > 0; --rows) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < at.size(); ++d) first += at[d] * strides[d];
    const std::byte* element = from + static_cast<std::size_t>(first) * element_bytes;
    if (step == 1) {
      std::memcpy(to, element, static_cast<std::size_t>(row) * element_bytes);
      to += static_cast<std::size_t>(row) * element_bytes;
    } else {
      for (std::int64_t i = 0; i < row; ++i, to += element_bytes) {
        std::memcpy(to, element, element_bytes);
      }
    }
    for (std::size_t d = at.size(); d-- > 1;) {
      if (++at[d - 1] < box.extent[d - 1]) break;
      at[d - 1] = 0;
    }
  }
}

/// Strides of a C-order array of shape `shape` that is broadcast to `rank` dimensions.
std::vector<std::int64_t> broadcast_strides(const job::Shape& shape, std::size_t rank) {
  std::vector<std::int64_t> strides(rank);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1) strides[d + rank - shape.size()] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::span<std::byte> room_for(base::PageBuffer& memory, const plan::Box& box,
                              const ExpressionInput& input) {
  return memory.take(static_cast<std::size_t>(box.elements()) * input.element_bytes());
}

}  // namespace

InputReader::InputReader(const ExpressionInputs& inputs)
    : inputs_(inputs), boxes_(inputs.list.size()), expanded_(inputs.list.size()) {
  for (const ExpressionInput& input : inputs.list) {
    readers_.push_back(std::make_unique<PieceReader>(*input.source, kViewBytesEach));
  }
}

std::uint64_t InputReader::memory_bytes(const ExpressionInputs& inputs) {
  const auto elements = static_cast<std::uint64_t>(inputs.pieces.max_elements());
  std::uint64_t bytes = 0;
  for (const ExpressionInput& input : inputs.list) {
    if (!input.used) continue;
    bytes += PieceReader::memory_bytes(*input.source) + 3 * elements * input.element_bytes();
    if (input.same_pieces) bytes += kViewBytesEach;
  }
  return bytes;
}

void InputReader::visit_piece(std::int64_t piece, const Wanted& requested, const Visit& visit) {
  next_piece_ = piece + 1;
  const std::int64_t slice = inputs_.slice_pieces;
  const std::int64_t end = std::min((piece / slice + 1) * slice, inputs_.pieces.count());
  Elements from(inputs_.list.size());
  bool all = true;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!requested[i]) continue;
    all &= inputs_.list[i].same_pieces;
    if (inputs_.list[i].same_pieces) from[i] = readers_[i]->read(piece, end).data();
  }
  if (all) {
    visit(from, region_of(piece), static_cast<std::size_t>(inputs_.pieces.elements(piece)));
    return;
  }
  for (const plan::Box& box : plan::boxes_of(inputs_.pieces, piece)) {
    visit_c_order(box, requested, from, visit);
    const auto count = static_cast<std::size_t>(box.elements());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] != nullptr) from[i] += count * inputs_.list[i].element_bytes();
    }
  }
}

/// `from`: the elements that are in memory already; null for the inputs that have to be read.
void InputReader::visit_c_order(const plan::Box& box, const Wanted& requested, Elements from,
                                const Visit& visit) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (requested[i] && from[i] == nullptr) from[i] = read(i, box);
  }
  visit(from, {inputs_.shape(), box.origin, box.extent}, static_cast<std::size_t>(box.elements()));
}

void InputReader::visit_box(const plan::Box& box, bool in_order, const Wanted& requested,
                            const Visit& visit) {
  next_piece_ = -1;
  Elements from(inputs_.list.size());
  if (!in_order || inputs_.order == plan::StorageOrder::last_dimension_fastest) {
    return visit_c_order(box, requested, std::move(from), visit);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!requested[i]) continue;
    const ExpressionInput& input = inputs_.list[i];
    const auto to = room_for(boxes_[i], box, input);
    input.source->read_box_in_order(box, to);
    from[i] = to.data();
  }
  visit(from, {inputs_.shape(), box.origin, box.extent, true},
        static_cast<std::size_t>(box.elements()));
}

const std::byte* InputReader::read(std::size_t number, const plan::Box& box) {
  const ExpressionInput& input = inputs_.list[number];
  const job::Shape& shape = input.source->info().shape;
  const plan::Box own = own_box(shape, box);
  const std::byte* from = nullptr;
  std::vector<std::int64_t> strides;
  if (input.held.empty()) {
    const auto to = room_for(boxes_[number], own, input);
    read_box(*input.source, own, *readers_[number], to);
    if (input.full) return to.data();
    from = to.data();
    strides = broadcast_strides(own.extent, box.extent.size());
  } else {
    strides = broadcast_strides(shape, box.extent.size());
    std::int64_t first = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) first += strides[d] * box.origin[d];
    from = input.held.data() + static_cast<std::size_t>(first) * input.element_bytes();
  }
  const auto expanded = room_for(expanded_[number], box, input);
  expand_box(from, strides, box, input.element_bytes(), expanded.data());
  return expanded.data();
}

expression::Region InputReader::region_of(std::int64_t piece) const {
  const plan::ArrayPieces& pieces = inputs_.pieces;
  const job::Shape& shape = inputs_.shape();
  if (pieces.are_boxes()) {
    const plan::Box box = pieces.box(piece);
    return {shape, box.origin, box.extent};
  }
  expression::Region region{
      .shape = shape,
      .origin = plan::Shape(shape.size()),
      .extent = shape,
      .first_fastest = inputs_.order == plan::StorageOrder::first_dimension_fastest};
  if (!pieces.is_joined()) {
    region.first = pieces.first(piece);
    return region;
  }
  const auto [part, own] = pieces.locate(piece);
  const plan::ArrayPieces& part_pieces = pieces.part(part);
  region.origin.front() = pieces.first_row(part);
  region.extent = part_pieces.shape();
  if (part_pieces.are_boxes()) {
    const plan::Box box = part_pieces.box(own);
    for (std::size_t d = 0; d < box.origin.size(); ++d) region.origin[d] += box.origin[d];
    region.extent = box.extent;
  } else {
    region.first = part_pieces.first(own);
  }
  return region;
}

}  // namespace tessera::reduce
