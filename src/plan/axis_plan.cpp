#include "plan/axis_plan.hpp"

#include <algorithm>

namespace tessera::plan {

namespace {

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

/// Calls visit(d) for all dimensions, from the contiguous one outward.
template <class Visit>
void inside_out(std::size_t rank, StorageOrder order, const Visit& visit) {
  for (std::size_t i = 0; i < rank; ++i) {
    visit(order == StorageOrder::last_dimension_fastest ? rank - 1 - i : i);
  }
}

}  // namespace

Shape piece_of_axes(const Shape& shape, const std::vector<bool>& reduced, StorageOrder order,
                    std::int64_t piece_elements, std::int64_t tile_outputs) {
  Shape piece(shape.size(), 1);
  std::int64_t elements = std::max<std::int64_t>(1, piece_elements);
  std::int64_t outputs = std::max<std::int64_t>(1, tile_outputs);
  // Outputs of another row would not be contiguous and would share nothing.
  bool row_is_whole = true;
  inside_out(shape.size(), order, [&](std::size_t d) {
    const std::int64_t most = reduced[d]     ? elements
                              : row_is_whole ? std::min(elements, outputs)
                                             : std::int64_t{1};
    piece[d] = std::clamp<std::int64_t>(shape[d], 1, most);
    elements /= piece[d];
    if (!reduced[d]) outputs /= piece[d];
    row_is_whole &= piece[d] >= shape[d];
  });
  return piece;
}

AxisPlan::AxisPlan(Shape shape, std::vector<bool> reduced, const Shape& piece, StorageOrder order,
                   const std::vector<std::int64_t>& rows)
    : shape_(std::move(shape)), reduced_(std::move(reduced)), order_(order) {
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    const bool of_several = d == 0 && !rows.empty();
    const Cuts& cuts =
        cuts_.emplace_back(of_several ? rows : std::vector<std::int64_t>{shape_[d]}, piece[d]);
    if (reduced_[d]) {
      piece_grid_.push_back(cuts.count());
    } else {
      outputs_.push_back(shape_[d]);
      tile_shape_.push_back(cuts.longest());
      tile_grid_.push_back(cuts.count());
    }
  }
}

std::int64_t AxisPlan::elements_each() const {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (reduced_[d]) elements *= shape_[d];
  }
  return elements;
}

Box AxisPlan::tile(std::int64_t tile) const {
  const Shape place = coordinates_of(tile, tile_grid_);
  Box box;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (reduced_[d]) continue;
    const Cuts::Cut cut = cuts_[d].cut(place[box.origin.size()]);
    box.origin.push_back(cut.first);
    box.extent.push_back(cut.extent);
  }
  return box;
}

std::int64_t AxisPlan::max_outputs() const {
  return element_count(tile_shape_);
}

std::int64_t AxisPlan::max_elements() const {
  std::int64_t most = 1;
  for (const Cuts& cuts : cuts_) most *= cuts.longest();
  return most;
}

AxisPiece AxisPlan::piece(std::int64_t tile, std::int64_t number) const {
  const Box kept = this->tile(tile);
  const Shape place = coordinates_of(number, piece_grid_);
  AxisPiece piece;
  std::size_t k = 0;
  std::size_t r = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (reduced_[d]) {
      const Cuts::Cut cut = cuts_[d].cut(place[r++]);
      piece.box.origin.push_back(cut.first);
      piece.box.extent.push_back(cut.extent);
      piece.first_index = piece.first_index * shape_[d] + cut.first;
    } else {
      piece.box.origin.push_back(kept.origin[k]);
      piece.box.extent.push_back(kept.extent[k++]);
    }
  }
  piece.levels = levels_of(piece.box);
  return piece;
}

std::vector<AxisLevel> AxisPlan::levels_of(const Box& box) const {
  Shape index_steps(shape_.size());
  std::int64_t step = 1;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    index_steps[d] = step;
    if (reduced_[d]) step *= shape_[d];
  }
  std::vector<AxisLevel> levels;  // innermost first
  std::int64_t outputs = 1;
  inside_out(shape_.size(), order_, [&](std::size_t d) {
    AxisLevel level{.extent = box.extent[d], .reduced = reduced_[d]};
    (reduced_[d] ? level.index_step : level.output_step) = reduced_[d] ? index_steps[d] : outputs;
    if (!reduced_[d]) outputs *= level.extent;
    if (level.extent == 1) return;
    // Merges two dimensions whose steps continue across them.
    if (!levels.empty() && levels.back().reduced == level.reduced &&
        levels.back().extent * levels.back().output_step == level.output_step &&
        levels.back().extent * levels.back().index_step == level.index_step) {
      levels.back().extent *= level.extent;
    } else {
      levels.push_back(level);
    }
  });
  std::ranges::reverse(levels);
  return levels;
}

AxisItems::AxisItems(const AxisPlan& plan, std::int64_t item_elements, std::int64_t max_elements,
                     std::int64_t requested)
    : tiles_(plan.tiles()), pieces_(plan.pieces_each()) {
  if (tiles_ == 0) return;
  const std::int64_t each = std::max<std::int64_t>(1, plan.elements_each());
  const std::int64_t tile_elements = std::max<std::int64_t>(1, each * plan.max_outputs());
  if (tile_elements < item_elements) {
    const std::int64_t fair =
        std::max<std::int64_t>(1, tiles_ / std::max<std::int64_t>(1, requested));
    tiles_each_ = std::clamp<std::int64_t>(item_elements / tile_elements, 1, fair);
  }
  const std::int64_t items = parts(tiles_, tiles_each_);
  if (tiles_each_ == 1 && pieces_ > 1) {
    const std::int64_t most = std::max<std::int64_t>(1, each / kMinEach);
    const std::int64_t shares =
        std::max(parts(requested, items), parts(tile_elements, max_elements));
    shares_ = std::min({shares, most, pieces_});
  }
  count_ = items * shares_;
}

AxisItems::AxisItems(const AxisPlan& plan, const Cut& cut)
    : tiles_(plan.tiles()),
      pieces_(plan.pieces_each()),
      tiles_each_(cut.tiles_each),
      shares_(cut.shares),
      count_(parts(tiles_, cut.tiles_each) * cut.shares) {}

AxisItems::Item AxisItems::item(std::int64_t number) const {
  const std::int64_t first = number / shares_ * tiles_each_;
  const std::int64_t share = number % shares_;
  return {.first_tile = first,
          .end_tile = std::min(first + tiles_each_, tiles_),
          .first_piece = share * pieces_ / shares_,
          .end_piece = (share + 1) * pieces_ / shares_};
}

}  // namespace tessera::plan
