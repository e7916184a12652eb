// Reads a box of an array in chunks by decoding those that it touches: what read_box() of such an
// array does. Private to this room.
#pragma once

#include <cstddef>
#include <span>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// `source` has a chunk_coding() of all pieces. As ArraySource::read_box(): in C order, in this
/// machine's byte order, from any thread. Takes the memory of a chunk, stored and decoded.
void read_box_of_chunks(const ArraySource& source, const plan::Box& box,
                        std::span<std::byte> elements);

}  // namespace tessera::store
