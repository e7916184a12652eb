// Cuts an array into pieces; a piece is read and reduced at once. Pure: knows shapes, not files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::plan {

using Shape = std::vector<std::int64_t>;

std::int64_t element_count(const Shape& shape);
/// Coordinates of element `number`, counted in C order.
Shape coordinates_of(std::int64_t number, const Shape& shape);
/// The extents of whole rows if they fit: at least one element, at most `elements`.
Shape box_of_rows(const Shape& shape, std::int64_t elements);

/// Elements [origin, origin + extent) in each dimension.
struct Box {
  Shape origin;
  Shape extent;
  std::int64_t elements() const { return element_count(extent); }
  /// Coordinates in the array of an element of the box, counted in C order.
  Shape place_of(std::int64_t element) const;
  friend bool operator==(const Box&, const Box&) = default;
};

enum class StorageOrder {
  last_dimension_fastest,  ///< C
  first_dimension_fastest  ///< Fortran
};

/// Element e of a piece is element e of the bytes that a reader returns. index() is its index in
/// the array, counted in C order, as argmin reports it.
class ArrayPieces {
 public:
  /// Pieces of `run_elements` contiguous elements; the last one is shorter.
  static ArrayPieces runs(Shape shape, StorageOrder order, std::int64_t run_elements);
  /// The same in any order of the dimensions, the one that changes fastest first.
  static ArrayPieces runs(Shape shape, const std::vector<std::size_t>& axes,
                          std::int64_t run_elements);
  /// A grid of boxes of the shape `box`. Boxes, and the elements in them, are in C order; boxes at
  /// the upper ends are smaller.
  static ArrayPieces boxes(Shape shape, Shape box);

  /// Arrays that are concatenated along the first dimension; the other dimensions are equal.
  static ArrayPieces joined(std::vector<ArrayPieces> parts);

  const Shape& shape() const { return shape_; }
  std::int64_t count() const { return count_; }
  std::int64_t elements(std::int64_t piece) const;
  /// Elements of the largest piece.
  std::int64_t max_elements() const;
  /// Of runs; C for orders of the dimensions that have no name.
  StorageOrder order() const { return order_; }
  /// True if index(piece, e) grows with e in every piece.
  bool in_order() const;
  /// True if the elements of each piece, and the pieces, follow each other in C order.
  bool is_consecutive() const;
  std::int64_t index(std::int64_t piece, std::int64_t element) const;

  /// For runs: offset of the piece's first element.
  std::int64_t first(std::int64_t piece) const { return piece * run_elements_; }
  /// For boxes: the box of the piece.
  Box box(std::int64_t piece) const;
  /// The piece that has exactly the elements of the box in that order; nothing if there is none.
  std::optional<std::int64_t> piece_of(const Box& box, StorageOrder order) const;
  bool are_boxes() const { return run_elements_ == 0 && parts_.empty(); }
  /// For boxes: the piece that contains the element at `coordinates`.
  std::int64_t piece_at(const Shape& coordinates) const;

  struct Place {
    std::size_t part = 0;
    std::int64_t piece = 0;  ///< within the part
  };
  /// For joined arrays: the part and its piece. first(), box() and everything else that concerns a
  /// file must be called on the part.
  Place locate(std::int64_t piece) const;
  bool is_joined() const { return !parts_.empty(); }
  const ArrayPieces& part(std::size_t part) const { return parts_[part]; }
  /// Extent of each part along the first dimension; empty if the array is not joined.
  Shape part_rows() const;
  /// First index of the part along the first dimension.
  std::int64_t first_row(std::size_t part) const { return first_rows_[part]; }
  /// The part that contains that row.
  std::size_t part_at(std::int64_t row) const;
  /// The number of the part's first piece in the joined array.
  std::int64_t first_piece(std::size_t part) const { return first_pieces_[part]; }
  /// One past the last piece in the same file.
  std::int64_t end_of_part(std::int64_t piece) const;

  /// True if pieces of the same number have the same elements in the same order.
  friend bool operator==(const ArrayPieces&, const ArrayPieces&) = default;

 private:
  std::optional<std::int64_t> run_of(const Box& box, StorageOrder order) const;

  Shape shape_;
  StorageOrder order_ = StorageOrder::last_dimension_fastest;
  /// Of runs in an order that is neither of the two, the fastest first.
  std::vector<std::size_t> axes_;
  std::int64_t elements_ = 0;
  std::int64_t count_ = 0;
  std::int64_t run_elements_ = 0;  ///< 0 = boxes
  Shape box_;
  Shape grid_;  ///< boxes in each dimension
  std::vector<ArrayPieces> parts_;
  std::vector<std::int64_t> first_rows_;  ///< of each part
  std::vector<std::int64_t> first_pieces_;
  std::vector<std::int64_t> first_indices_;
};

}  // namespace tessera::plan
