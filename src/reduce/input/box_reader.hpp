// A box of an array as elements in memory, however it is stored and cut.
#pragma once

#include <cstddef>
#include <span>

#include "plan/array_pieces.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The box as ArraySource::read_box() has it, into `elements`, which has the size that
/// they need. Chunks come through `reader`, which is the calling thread's own of that array, so
/// that threads inflate at the same time; each chunk that has a part in the box is inflated whole.
/// Throws as PieceReader.
void read_box(const store::ArraySource& source, const plan::Box& box, PieceReader& reader,
              std::span<std::byte> elements);

}  // namespace tessera::reduce
