// Reads a box of an array into memory, for any storage layout.
#pragma once

#include <cstddef>
#include <span>

#include "plan/array_pieces.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Reads the box, in the element order of ArraySource::read_box(), into `elements`, which has its
/// exact size. Chunks are read through `reader`, which belongs to the calling thread, so that
/// threads decompress in parallel; each chunk that meets the box is decompressed as a whole. Throws
/// the errors of PieceReader.
void read_box(const store::ArraySource& source, const plan::Box& box, PieceReader& reader,
              std::span<std::byte> elements);

}  // namespace tessera::reduce
