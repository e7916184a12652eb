#include "codec/blosclz.hpp"

#include <cstdint>

#include "codec/lz_output.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr unsigned kBlosclzLiterals = 32;  ///< heads below have that many literals, and one

/// A copy: 3 bits of the length and the upper 5 of the distance in the head, more of the length in
/// bytes of 255 and one that is not, the lower 8 bits of the distance. The largest distance of 13
/// bits stands for one of 16 behind it.
void repeat_blosclz(StreamReader& reader, unsigned head, LzOutput& out) {
  constexpr unsigned kMore = 255;
  constexpr std::size_t kLongestLength = 7;
  constexpr std::size_t kFarthest = 31 << 8 | kMore;
  std::size_t length = head >> 5;
  if (length == kLongestLength) {
    unsigned more = 0;
    do {
      more = reader.take_byte();
      length += more;
    } while (more == kMore);
  }
  std::size_t distance = (head & 31) << 8 | reader.take_byte();
  if (distance == kFarthest) distance += reader.take_big_endian<std::uint16_t>();
  out.repeat(distance + 1, length + 2);
}

}  // namespace

void decode_blosclz(std::span<const std::byte> stream, std::span<std::byte> out) {
  StreamReader reader("BloscLZ", stream);
  LzOutput output(reader, out);
  // The upper bits of the first head say the level; it has literals.
  unsigned head = reader.take_byte() % kBlosclzLiterals;
  for (;;) {
    if (head < kBlosclzLiterals) {
      output.append(head + 1);
    } else {
      repeat_blosclz(reader, head, output);
    }
    if (reader.rest().empty()) break;
    head = reader.take_byte();
  }
  output.expect_full();
}

}  // namespace tessera::codec
