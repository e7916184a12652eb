#include "store/arrays/reader_array.hpp"

#include <algorithm>

#include "base/bools.hpp"
#include "base/error.hpp"

namespace tessera::store {

namespace {

/// Sides of 1 to the extent of the array.
plan::Shape clamped(plan::Shape chunk, const job::ArrayInput& input, const plan::Shape& shape) {
  if (chunk.size() != shape.size()) {
    throw base::usage_error(
        "{}: the array is {}, its chunks are {}; give a side for each dimension", input.text,
        job::format_shape(shape), job::format_shape(chunk));
  }
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    chunk[d] = std::clamp<std::int64_t>(chunk[d], 1, std::max<std::int64_t>(1, shape[d]));
  }
  return chunk;
}

plan::Shape box_of(const job::ArrayInput& input, const ArrayInfo& info, std::int64_t piece_bytes) {
  const plan::Shape chunk = input.reader->chunk();
  if (!chunk.empty()) return clamped(chunk, input, info.shape);
  const std::int64_t elements = std::max<std::int64_t>(
      1, piece_bytes / static_cast<std::int64_t>(base::element_bytes(info.type)));
  return plan::box_of_rows(info.shape, elements);
}

class ReaderArray : public ArraySource {
 public:
  ReaderArray(const job::ArrayInput& input, std::int64_t piece_bytes)
      : ArraySource({.name = input.text,
                     .kind = "reader",
                     .type = input.reader->type(),
                     .shape = input.reader->shape(),
                     .is_boolean = input.reader->is_boolean()}),
        input_(input) {
    job::count_elements(info_.shape, info_.name);
    pieces_ = plan::ArrayPieces::boxes(info_.shape, box_of(input_, info_, piece_bytes));
  }

  plan::Shape chunk_shape() const override { return input_.reader->chunk(); }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    input_.reader->read(box.origin, box.extent, elements);
    if (info_.is_boolean) base::make_bools(elements);
  }

 private:
  job::ArrayInput input_;
};

}  // namespace

std::unique_ptr<ArraySource> open_reader(const job::ArrayInput& input, std::int64_t piece_bytes) {
  return std::make_unique<ReaderArray>(input, piece_bytes);
}

}  // namespace tessera::store
