// Cuts a reduction over some axes: outputs into tiles, the elements of each tile into pieces. Pure:
// knows shapes, not files.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/array_pieces.hpp"
#include "plan/cuts.hpp"

namespace tessera::plan {

/// One dimension of a piece in memory: elements at equal distances.
struct AxisLevel {
  std::int64_t extent = 1;
  bool reduced = false;
  std::int64_t output_step = 0;  ///< index step between neighbours, within the tile's outputs
  /// Index step between neighbours, within the elements of one output.
  std::int64_t index_step = 0;
  friend bool operator==(const AxisLevel&, const AxisLevel&) = default;
};

/// The element at coordinates c of the levels (outermost first, the last one contiguous) belongs to
/// output sum(c * output_step) of the tile. Among the elements of that output, in C order over the
/// reduced dimensions, it has the index first_index + sum(c * index_step).
struct AxisPiece {
  Box box;  ///< in the array
  std::vector<AxisLevel> levels;
  std::int64_t first_index = 0;
};

/// The extents of a piece: as many contiguous elements as `piece_elements` allows, with at most
/// `tile_outputs` outputs.
Shape piece_of_axes(const Shape& shape, const std::vector<bool>& reduced, StorageOrder order,
                    std::int64_t piece_elements, std::int64_t tile_outputs);

class AxisPlan {
 public:
  AxisPlan() = default;
  /// `piece`: the result of piece_of_axes(), or a chunk. Elements of a piece are in `order`.
  /// `rows`: for joined arrays, the extent of each part along the first dimension; no piece spans
  /// two parts.
  AxisPlan(Shape shape, std::vector<bool> reduced, const Shape& piece, StorageOrder order,
           const std::vector<std::int64_t>& rows = {});

  /// For each dimension, whether the outputs are over it.
  const std::vector<bool>& reduced() const { return reduced_; }
  /// Shape of the result: the dimensions that are kept.
  const Shape& outputs() const { return outputs_; }
  std::int64_t output_count() const { return element_count(outputs_); }
  /// Elements per output.
  std::int64_t elements_each() const;

  std::int64_t tiles() const { return element_count(tile_grid_); }
  Box tile(std::int64_t tile) const;  ///< in the outputs
  /// Outputs of the largest tile.
  std::int64_t max_outputs() const;
  /// Elements of the largest piece.
  std::int64_t max_elements() const;
  std::int64_t pieces_each() const { return element_count(piece_grid_); }  ///< per tile
  /// Piece `number` of the tile. The outputs of a tile are numbered in the order of its elements in
  /// memory.
  AxisPiece piece(std::int64_t tile, std::int64_t number) const;
  StorageOrder order() const { return order_; }

 private:
  std::vector<AxisLevel> levels_of(const Box& box) const;

  Shape shape_;
  std::vector<bool> reduced_;
  std::vector<Cuts> cuts_;  ///< cuts of each dimension
  StorageOrder order_ = StorageOrder::last_dimension_fastest;
  Shape outputs_;
  Shape tile_shape_;  ///< shape of the largest tile
  Shape tile_grid_;
  Shape piece_grid_;  ///< along the reduced dimensions
};

/// Work items: consecutive tiles with all their pieces, or one tile with some of its pieces.
class AxisItems {
 public:
  AxisItems() = default;
  /// Tiles per item, and items per tile; one of them is 1.
  struct Cut {
    std::int64_t tiles_each = 1;
    std::int64_t shares = 1;
  };
  /// Makes items of about `item_elements`, at most `max_elements`. If there are fewer tiles than
  /// `requested`, or larger ones, each tile's pieces are split over several items, so that an
  /// output keeps at least kMinEach elements per item.
  AxisItems(const AxisPlan& plan, std::int64_t item_elements, std::int64_t max_elements,
            std::int64_t requested);
  /// Cuts as before, for the same plan.
  AxisItems(const AxisPlan& plan, const Cut& cut);

  // crossed by: ShareATileWhereThereAreFew
  static constexpr std::int64_t kMinEach = 1024;

  struct Item {
    std::int64_t first_tile = 0, end_tile = 0;
    std::int64_t first_piece = 0, end_piece = 0;
  };
  std::int64_t count() const { return count_; }
  Item item(std::int64_t number) const;
  /// Items that the pieces of one tile are split over; 1 = tiles are whole.
  std::int64_t shares() const { return shares_; }
  Cut cut() const { return {tiles_each_, shares_}; }
  /// The group of an item: all items of the same tile form a group; an item of whole tiles is its
  /// own group.
  std::int64_t group(std::int64_t item) const { return item / shares_; }
  std::int64_t groups() const { return count_ / shares_; }

 private:
  std::int64_t tiles_ = 0;
  std::int64_t pieces_ = 0;
  std::int64_t tiles_each_ = 1;
  std::int64_t shares_ = 1;
  std::int64_t count_ = 0;
};

}  // namespace tessera::plan
