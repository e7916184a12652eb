#include <libdeflate.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "codec/chunk.hpp"
#include "codec/scratch.hpp"
#include "codec/shuffle.hpp"

namespace tessera::codec {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

Decompressor make_decompressor() {
  Decompressor decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw base::run_error("libdeflate_alloc_decompressor: no memory");
  return decompressor;
}

std::string bytes_of(std::span<const std::byte> bytes) {
  return base::count_of(std::ssize(bytes), "byte");
}

/// A compressed chunk in messages.
std::string name_of(std::span<const std::byte> stream) {
  return "chunk of " + bytes_of(stream);
}

/// libdeflate returns BAD_DATA for every damage. Inflating again without the checksum distinguishes
/// a wrong Adler-32 from a damaged deflate stream.
base::Error bad_stream(libdeflate_decompressor* decompressor, std::span<const std::byte> stream,
                       std::span<std::byte> out) {
  constexpr std::size_t kHead = 2;
  if (stream.size() > kHead) {
    const auto body = stream.subspan(kHead);
    const bool inflates =
        libdeflate_deflate_decompress(decompressor, body.data(), body.size(), out.data(),
                                      out.size(), nullptr) == LIBDEFLATE_SUCCESS;
    if (inflates) return base::run_error("{}: wrong Adler-32", name_of(stream));
  }
  return base::run_error("{}: not a valid zlib stream", name_of(stream));
}

void inflate(libdeflate_decompressor* decompressor, std::span<const std::byte> stream,
             std::span<std::byte> out) {
  std::size_t used = 0;
  switch (libdeflate_zlib_decompress_ex(decompressor, stream.data(), stream.size(), out.data(),
                                        out.size(), &used, nullptr)) {
    case LIBDEFLATE_SUCCESS:
      break;
    case LIBDEFLATE_SHORT_OUTPUT:
      throw base::run_error("{}: inflates to less than the {} of its tile", name_of(stream),
                            bytes_of(out));
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      throw base::run_error("{}: inflates to more than the {} of its tile", name_of(stream),
                            bytes_of(out));
    case LIBDEFLATE_BAD_DATA:
      throw bad_stream(decompressor, stream, out);
  }
  if (used != stream.size()) {
    throw base::run_error("{}: its zlib stream ends after {}", name_of(stream), used);
  }
}

void check_stored_size(std::span<const std::byte> stored, std::span<std::byte> raw) {
  if (stored.size() == raw.size()) return;
  throw base::run_error("chunk stored without deflate has {}, not the {} of its tile",
                        bytes_of(stored), raw.size());
}

}  // namespace

struct ChunkDecoder::State {
  std::size_t element_bytes;
  Decompressor decompressor = make_decompressor();
  Scratch planes;
};

ChunkDecoder::ChunkDecoder(base::ElementType type) : state_(std::make_unique<State>()) {
  state_->element_bytes = base::element_bytes(type);
}

ChunkDecoder::~ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;

void ChunkDecoder::decode(std::span<const std::byte> stored, std::uint32_t filter_mask,
                          std::span<std::byte> raw) {
  State& state = *state_;
  switch (filter_mask) {
    case kAllFilters: {
      const auto planes = state.planes.take(raw.size());
      inflate(state.decompressor.get(), stored, planes);
      unshuffle(planes, state.element_bytes, raw);
      return;
    }
    case kShuffleSkipped:
      inflate(state.decompressor.get(), stored, raw);
      return;
    case kDeflateSkipped:
      check_stored_size(stored, raw);
      unshuffle(stored, state.element_bytes, raw);
      return;
    case kNoFilters:
      check_stored_size(stored, raw);
      std::copy(stored.begin(), stored.end(), raw.begin());
      return;
    default:
      throw base::run_error("chunk with filter mask {:#x}: there are only two filters",
                            filter_mask);
  }
}

}  // namespace tessera::codec
