// Reads the elements of two arrays of one shape at the same coordinates.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Opens the array of --with, divided into the same pieces as `x` if possible. Throws a usage error
/// if its shape differs from that of `x`.
std::unique_ptr<store::ArraySource> open_second(const job::ReduceJob& job,
                                                const store::ArraySource& x);

/// Not thread-safe: one per worker thread.
class PairReader {
 public:
  PairReader(const store::ArraySource& x, const store::ArraySource& y);

  /// Receives the same number of elements of each array.
  using Visit = std::function<void(std::span<const std::byte> x, std::span<const std::byte> y)>;
  /// Calls `visit` for all elements of a piece of x and the corresponding elements of y.
  /// `elements`: the piece of x, already read.
  void read(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit);

  static std::uint64_t memory_bytes(const store::ArraySource& x, const store::ArraySource& y);

 private:
  void read_boxes(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit);

  const store::ArraySource& x_;
  const store::ArraySource& y_;
  std::size_t x_bytes_, y_bytes_;  ///< bytes of an element
  bool same_pieces_;
  PieceReader y_reader_;
  base::Bytes x_box_, y_box_;
};

}  // namespace tessera::reduce
