#include "reduce/input/pair_reader.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "plan/piece_boxes.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/open_input.hpp"

namespace tessera::reduce {

std::unique_ptr<store::ArraySource> open_second(const job::ReduceJob& job,
                                                const store::ArraySource& x) {
  const job::ArrayInput input = job::with_input(job);
  const auto open = [&](std::int64_t bytes) {
    return open_input(std::span(&input, 1), bytes, MissingAs::no_element);
  };
  const auto bytes_of = [](const store::ArraySource& array) {
    return static_cast<std::int64_t>(base::element_bytes(array.info().type));
  };
  auto y = open(piece_bytes(job));
  if (y->info().shape != x.info().shape) {
    throw base::usage_error("--with {}: is {}, and {} is {}", job.with,
                            job::format_shape(y->info().shape), x.info().name,
                            job::format_shape(x.info().shape));
  }
  // The same number of elements per piece.
  if (bytes_of(*y) != bytes_of(x)) y = open(piece_bytes(job) / bytes_of(x) * bytes_of(*y));
  return y;
}

PairReader::PairReader(const store::ArraySource& x, const store::ArraySource& y)
    : x_(x),
      y_(y),
      x_bytes_(base::element_bytes(x.info().type)),
      y_bytes_(base::element_bytes(y.info().type)),
      same_pieces_(x.pieces() == y.pieces()),
      y_reader_(y) {}

std::uint64_t PairReader::memory_bytes(const store::ArraySource& x, const store::ArraySource& y) {
  if (x.pieces() == y.pieces()) return PieceReader::memory_bytes(y);
  const std::size_t pair_bytes =
      base::element_bytes(x.info().type) + base::element_bytes(y.info().type);
  // A box of each array, the copies that reading it needs, and the chunks of y.
  return 2 * static_cast<std::uint64_t>(x.pieces().most_elements()) * pair_bytes +
         PieceReader::memory_bytes(y);
}

void PairReader::read(std::int64_t piece, std::span<const std::byte> elements, const Visit& visit) {
  if (!same_pieces_) return read_boxes(piece, elements, visit);
  visit(elements, y_reader_.read(piece, piece + 1));
}

void PairReader::read_boxes(std::int64_t piece, std::span<const std::byte> elements,
                            const Visit& visit) {
  const bool in_order = x_.pieces().in_order();
  for (const plan::Box& box : plan::boxes_of(x_.pieces(), piece)) {
    const auto count = static_cast<std::size_t>(box.elements());
    y_box_.resize(count * y_bytes_);
    read_box(y_, box, y_reader_, y_box_);
    if (in_order) {
      visit(elements.first(count * x_bytes_), y_box_);
      elements = elements.subspan(count * x_bytes_);
    } else {  // read x again, in the element order of y
      x_box_.resize(count * x_bytes_);
      x_.read_box(box, x_box_);
      visit(x_box_, y_box_);
    }
  }
}

}  // namespace tessera::reduce
