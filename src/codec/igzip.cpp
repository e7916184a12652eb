#include "codec/igzip.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "base/vector_state.hpp"

namespace tessera::codec {

struct Igzip::State {
  isal_zstream stream;
  std::array<std::uint8_t, ISAL_DEF_LVL1_DEFAULT> level_buffer;
};

Igzip::Igzip() : state_(std::make_unique_for_overwrite<State>()) {}
Igzip::~Igzip() = default;
Igzip::Igzip(Igzip&&) noexcept = default;
Igzip& Igzip::operator=(Igzip&&) noexcept = default;

std::optional<std::size_t> Igzip::deflate(std::span<const std::byte> in, Ending ending,
                                          std::span<std::byte> out) {
  // not crossed: 4 GiB; only refuses
  constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (in.size() > kMax) throw base::run_error("deflate: a piece of {} bytes", in.size());
  isal_zstream& stream = state_->stream;
  isal_deflate_stateless_init(&stream);
  stream.hist_bits = 0;  // left as it was by the line above: a smaller window, and other bytes
  stream.level = 1;
  stream.level_buf = state_->level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(state_->level_buffer.size());
  stream.gzip_flag = IGZIP_DEFLATE;
  stream.end_of_stream = ending == Ending::final_block ? 1 : 0;
  stream.flush = ending == Ending::final_block ? NO_FLUSH : FULL_FLUSH;
  // igzip takes a non-const pointer but changes nothing.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(std::min(out.size(), kMax));
  const int status = isal_deflate_stateless(&stream);
  base::clear_vector_state();
  if (status == STATELESS_OVERFLOW) return std::nullopt;
  if (status != COMP_OK || stream.avail_in != 0) {
    throw base::run_error("isal_deflate_stateless of {} bytes failed: status {}", in.size(),
                          status);
  }
  return stream.total_out;
}

// crossed by: ComesBackOnBothSidesOfTheSizesOfDeflate, OnBothSidesOfAPieceIsOneStream
std::size_t Igzip::bound(std::size_t in_bytes) {
  // A stored block has at most 65535 bytes and a header of 5; a full flush adds an empty block.
  return in_bytes + 5 * (in_bytes / 65535 + 1) + 16;
}

std::size_t Igzip::memory_bytes() {
  return sizeof(State);
}

}  // namespace tessera::codec
