#include "store/arrays/box_of_chunks.hpp"

#include "base/bools.hpp"
#include "base/byte_order.hpp"
#include "plan/piece_boxes.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::store {
namespace {

/// Decodes chunks one after the other.
class ChunkReader {
 public:
  explicit ChunkReader(const ArraySource& source)
      : source_(source),
        coding_(*source.chunk_coding(0)),
        element_bytes_(base::element_bytes(source.info().type)),
        decoder_(coding_.filters),
        bytes_(static_cast<std::size_t>(plan::element_count(coding_.chunk)) * element_bytes_) {}

  /// Reads a piece; bytes() and extent() then are its elements, in C order.
  void read(std::int64_t piece) {
    source_.read_stored(piece, piece + 1, stored_);
    const StoredChunk& chunk = stored_.chunks().front();
    const plan::Box box = source_.pieces().box(piece);
    if (!chunk.there) {
      extent_ = box.extent;
      source_.read_missing(piece, std::span(bytes_).first(static_cast<std::size_t>(box.elements()) *
                                                          element_bytes_));
      return;
    }
    extent_ = coding_.chunk;
    try {
      decoder_.decode(chunk.bytes, chunk.filter_mask, bytes_);
    } catch (const base::Error& error) {
      throw source_.damaged(piece, error.what());
    }
    if (coding_.swap_bytes) base::swap_byte_order(bytes_, element_bytes_);
    if (source_.info().is_boolean) base::make_bools(bytes_);
  }
  const std::byte* bytes() const { return bytes_.data(); }
  const plan::Shape& extent() const { return extent_; }

 private:
  const ArraySource& source_;
  const ChunkCoding& coding_;
  std::size_t element_bytes_;
  codec::ChunkDecoder decoder_;
  StoredChunks stored_;
  std::vector<std::byte> bytes_;
  plan::Shape extent_;
};

}  // namespace

void read_box_of_chunks(const ArraySource& source, const plan::Box& box,
                        std::span<std::byte> elements) {
  if (elements.empty()) return;
  const std::size_t element_bytes = base::element_bytes(source.info().type);
  const plan::Shape to_strides = packed_strides(box.extent, element_bytes);
  ChunkReader reader(source);
  for (const std::int64_t piece : plan::pieces_meeting(source.pieces(), box)) {
    reader.read(piece);
    const plan::Box own = source.pieces().box(piece);
    const plan::Box both = plan::common(own, box);
    const plan::Shape strides = packed_strides(reader.extent(), element_bytes);
    copy_box(reader.bytes() + distance(own.origin, both.origin, strides), strides,
             elements.data() + distance(box.origin, both.origin, to_strides), to_strides,
             both.extent, element_bytes);
  }
}

}  // namespace tessera::store
