// Reads the same elements of all inputs of expressions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "expression/region.hpp"
#include "reduce/input/expression_inputs.hpp"
#include "reduce/input/mapped_source.hpp"
#include "reduce/input/piece_reader.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread. `requested`: an answer for each input.
class InputReader {
 public:
  using Visit = MappedSource::Visit;
  using Wanted = std::vector<bool>;

  /// `inputs` must outlive the reader.
  explicit InputReader(const ExpressionInputs& inputs);

  /// Upper bound of the memory of a reader.
  static std::uint64_t memory_bytes(const ExpressionInputs& inputs);

  /// Visits the elements of the piece, in its order.
  void visit_piece(std::int64_t piece, const Wanted& requested, const Visit& visit);
  /// Visits those of a box in C order, or, if `in_order`, in the order of the inputs.
  void visit_box(const plan::Box& box, bool in_order, const Wanted& requested, const Visit& visit);
  /// The piece after the last one that was read; -1 after a box.
  std::int64_t next_piece() const { return next_piece_; }

 private:
  using Elements = std::vector<const std::byte*>;

  void visit_c_order(const plan::Box& box, const Wanted& requested, Elements from,
                     const Visit& visit);
  const std::byte* read(std::size_t number, const plan::Box& box);
  expression::Region region_of(std::int64_t piece) const;

  const ExpressionInputs& inputs_;
  std::vector<std::unique_ptr<PieceReader>> readers_;
  std::vector<base::PageBuffer> boxes_;
  std::vector<base::PageBuffer> expanded_;
  std::int64_t next_piece_ = -1;
};

}  // namespace tessera::reduce
