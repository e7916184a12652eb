// A reduction over some axes of an array, cut up: outputs into tiles, and what each tile is made of
// into pieces. Pure: knows shapes, not files.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/array_pieces.hpp"
#include "plan/cuts.hpp"

namespace tessera::plan {

/// Elements of a piece that lie at equal distances in memory, seen along one dimension.
struct AxisLevel {
  std::int64_t extent = 1;
  bool reduced = false;
  std::int64_t output_step = 0;  ///< from one element to the next, in the tile's outputs
  std::int64_t index_step = 0;   ///< ... in the place among all that make an output
  friend bool operator==(const AxisLevel&, const AxisLevel&) = default;
};

/// The element at coordinates c of the levels (outermost first, the last one contiguous) belongs to
/// output sum(c * output_step) of the tile, and is number first_index + sum(c * index_step), in C
/// order over the reduced dimensions, of the elements that make it.
struct AxisPiece {
  Box box;  ///< of the array
  std::vector<AxisLevel> levels;
  std::int64_t first_index = 0;
};

/// Which extents a piece has: as much of what lies together as `piece_elements` allows, with at
/// most `tile_outputs` outputs.
Shape piece_of_axes(const Shape& shape, const std::vector<bool>& reduced, StorageOrder order,
                    std::int64_t piece_elements, std::int64_t tile_outputs);

class AxisPlan {
 public:
  AxisPlan() = default;
  /// `piece` as piece_of_axes() says, or a chunk. Elements of a piece come in `order`. `rows`: how
  /// much each of several arrays has of the first dimension; no piece is of two of them.
  AxisPlan(Shape shape, std::vector<bool> reduced, const Shape& piece, StorageOrder order,
           const std::vector<std::int64_t>& rows = {});

  /// Of the result: the dimensions that are kept.
  const Shape& outputs() const { return outputs_; }
  std::int64_t output_count() const { return element_count(outputs_); }
  /// Elements that make an output.
  std::int64_t elements_each() const;

  std::int64_t tiles() const { return element_count(tile_grid_); }
  Box tile(std::int64_t tile) const;  ///< of the outputs
  /// Outputs of the largest tile.
  std::int64_t most_outputs() const;
  /// Elements of the largest piece.
  std::int64_t most_elements() const;
  std::int64_t pieces_each() const { return element_count(piece_grid_); }  ///< of a tile
  /// The outputs of a tile are numbered in the order in which its elements lie in memory.
  AxisPiece piece(std::int64_t tile, std::int64_t number) const;
  StorageOrder order() const { return order_; }

 private:
  std::vector<AxisLevel> levels_of(const Box& box) const;

  Shape shape_;
  std::vector<bool> reduced_;
  std::vector<Cuts> cuts_;  ///< of each dimension
  StorageOrder order_ = StorageOrder::last_dimension_fastest;
  Shape outputs_;
  Shape tile_shape_;  ///< of the largest tile
  Shape tile_grid_;
  Shape piece_grid_;  ///< along the reduced dimensions
};

/// Items of work: some tiles in a row with all their pieces, or one tile with some of its pieces.
class AxisItems {
 public:
  AxisItems() = default;
  /// Tiles of an item, or items of a tile: one of them is 1.
  struct Cut {
    std::int64_t tiles_each = 1;
    std::int64_t shares = 1;
  };
  /// Of about `item_elements`, and `most_elements` at most; where there are fewer tiles than
  /// `wanted`, or larger ones, the pieces of each are shared out too, but so that an output has at
  /// least kLeastEach elements in an item.
  AxisItems(const AxisPlan& plan, std::int64_t item_elements, std::int64_t most_elements,
            std::int64_t wanted);
  /// As items of the same plan were cut before.
  AxisItems(const AxisPlan& plan, const Cut& cut);

  static constexpr std::int64_t kLeastEach = 1024;

  struct Item {
    std::int64_t first_tile = 0, end_tile = 0;
    std::int64_t first_piece = 0, end_piece = 0;
  };
  std::int64_t count() const { return count_; }
  Item item(std::int64_t number) const;
  /// Into how many items the pieces of a tile are shared; 1 = tiles are whole.
  std::int64_t shares() const { return shares_; }
  Cut cut() const { return {tiles_each_, shares_}; }
  /// The tiles of an item, or those that are one of several items of theirs, have this in common.
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
