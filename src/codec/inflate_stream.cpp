#include "codec/inflate_stream.hpp"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <memory>
#include <vector>

#include "base/error.hpp"

namespace tessera::codec {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

std::uint8_t* octets(std::vector<std::byte>& bytes) {
  return reinterpret_cast<std::uint8_t*>(bytes.data());
}

}  // namespace

std::uint32_t inflate_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                             const std::function<void(std::span<const std::byte>)>& write,
                             std::uint64_t bytes) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  std::vector<std::byte> in(kBlockBytes), out(kBlockBytes);
  std::uint64_t written = 0;
  std::uint32_t checksum = 0;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      state->avail_in = static_cast<std::uint32_t>(read(in));
      state->next_in = octets(in);
      if (state->avail_in == 0) throw base::run_error("the deflate stream ends early");
    }
    do {
      state->next_out = octets(out);
      state->avail_out = static_cast<std::uint32_t>(out.size());
      if (const int status = isal_inflate(state.get()); status != ISAL_DECOMP_OK) {
        throw base::run_error("not a valid deflate stream (ISA-L says {})", status);
      }
      const auto some = std::span(out).first(out.size() - state->avail_out);
      written += some.size();
      if (written > bytes) throw base::run_error("inflates to more than {} bytes", bytes);
      checksum = crc32_gzip_refl(checksum, octets(out), some.size());
      write(some);
    } while (state->avail_out == 0 && state->block_state != ISAL_BLOCK_FINISH);
  }
  if (written < bytes) throw base::run_error("inflates to {} of {} bytes", written, bytes);
  return checksum;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace tessera::codec
