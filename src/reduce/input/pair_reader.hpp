// Two arrays of one shape, read at the same places.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "job/reduce_job.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The array of --with, cut as `x` is where that can be. Usage error if its shape is another.
std::unique_ptr<store::ArraySource> open_second(const job::ReduceJob& job,
                                                const store::ArraySource& x);

/// One per worker thread.
class PairReader {
 public:
  PairReader(const store::ArraySource& x, const store::ArraySource& y);

  /// As many elements of each.
  using Visit = std::function<void(std::span<const std::byte> x, std::span<const std::byte> y)>;
  /// All of a piece of x, of which `elements` have been read, with those of y.
  void read(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit);

  static std::uint64_t memory_bytes(const store::ArraySource& x, const store::ArraySource& y);

 private:
  void read_boxes(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit);

  const store::ArraySource& x_;
  const store::ArraySource& y_;
  std::size_t x_bytes_, y_bytes_;  ///< of an element
  bool same_pieces_;
  PieceReader y_reader_;
  base::Bytes x_box_, y_box_;
};

}  // namespace tessera::reduce
