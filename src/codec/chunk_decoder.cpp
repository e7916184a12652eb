#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "codec/chunk.hpp"
#include "codec/fletcher32.hpp"
#include "codec/lzf.hpp"
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
  throw base::run_error("chunk stored without compression has {}, not the {} of its tile",
                        bytes_of(stored), raw.size());
}

}  // namespace

struct ChunkDecoder::State {
  Filters filters;
  Decompressor decompressor = make_decompressor();
  std::array<Scratch, 2> scratch;

  bool applies(std::size_t filter, std::uint32_t filter_mask) const {
    return (filter_mask >> filter & 1) == 0;
  }
  /// Bytes that filter `end` was given: a checksum before it adds to the chunk.
  std::size_t bytes_before(std::size_t end, std::uint32_t filter_mask, std::size_t raw_bytes) const;
  /// Whether a filter before `end` needs memory for its output.
  bool writes_before(std::size_t end, std::uint32_t filter_mask) const;
  void undo(const Filter& filter, std::span<const std::byte> bytes, std::span<std::byte> out);
};

std::size_t ChunkDecoder::State::bytes_before(std::size_t end, std::uint32_t filter_mask,
                                              std::size_t raw_bytes) const {
  for (std::size_t i = 0; i < end; ++i) {
    const bool adds = filters[i].kind == Filter::Kind::fletcher32 && applies(i, filter_mask);
    if (adds) raw_bytes += kFletcher32Bytes;
  }
  return raw_bytes;
}

bool ChunkDecoder::State::writes_before(std::size_t end, std::uint32_t filter_mask) const {
  for (std::size_t i = 0; i < end; ++i) {
    if (filters[i].kind != Filter::Kind::fletcher32 && applies(i, filter_mask)) return true;
  }
  return false;
}

void ChunkDecoder::State::undo(const Filter& filter, std::span<const std::byte> bytes,
                               std::span<std::byte> out) {
  switch (filter.kind) {
    case Filter::Kind::shuffle:
      check_stored_size(bytes, out);
      return unshuffle(bytes, filter.element_bytes, out);
    case Filter::Kind::deflate:
      return inflate(decompressor.get(), bytes, out);
    case Filter::Kind::lzf:
      return decode_lzf(bytes, out);
    case Filter::Kind::fletcher32:
      break;  // writes nothing
  }
}

ChunkDecoder::ChunkDecoder(Filters filters) : state_(std::make_unique<State>()) {
  state_->filters = std::move(filters);
}
ChunkDecoder::ChunkDecoder(base::ElementType type)
    : ChunkDecoder(
          Filters{{.kind = Filter::Kind::shuffle, .element_bytes = base::element_bytes(type)},
                  {.kind = Filter::Kind::deflate}}) {}

ChunkDecoder::~ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;

void ChunkDecoder::decode(std::span<const std::byte> stored, std::uint32_t filter_mask,
                          std::span<std::byte> raw) {
  State& state = *state_;
  if (std::uint64_t{filter_mask} >> state.filters.size() != 0) {
    throw base::run_error("chunk with filter mask {:#x}: there are only {} filters", filter_mask,
                          state.filters.size());
  }
  std::size_t turn = 0;
  for (std::size_t i = state.filters.size(); i-- > 0;) {
    if (!state.applies(i, filter_mask)) continue;
    if (state.filters[i].kind == Filter::Kind::fletcher32) {
      stored = check_fletcher32(stored);
      continue;
    }
    const std::size_t bytes = state.bytes_before(i, filter_mask, raw.size());
    const bool is_last = bytes == raw.size() && !state.writes_before(i, filter_mask);
    const auto out = is_last ? raw : state.scratch[turn++ % 2].take(bytes);
    state.undo(state.filters[i], stored, out);
    stored = out;
  }
  if (stored.data() == raw.data()) return;
  check_stored_size(stored, raw);
  std::ranges::copy(stored, raw.begin());
}

}  // namespace tessera::codec
