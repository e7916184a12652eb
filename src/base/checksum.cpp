#include "base/checksum.hpp"

#include <isa-l/crc.h>

#include <algorithm>

#include "base/vector_state.hpp"

namespace tessera::base {

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
  // ISA-L leaves the inversions before and after to its caller, takes the length as an int, and
  // takes a non-const pointer to data that it does not change.
  // crossed by: OfMoreThanAPieceIsThatOfItsParts
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  std::uint32_t inverted = ~crc;
  for (std::size_t done = 0; done < bytes.size(); done += kPiece) {
    const auto piece = bytes.subspan(done, std::min(kPiece, bytes.size() - done));
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(piece.data()));
    inverted = crc32_iscsi(data, static_cast<int>(piece.size()), inverted);
  }
  clear_vector_state();
  return ~inverted;
}

}  // namespace tessera::base
