#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "codec/bitshuffle.hpp"
#include "codec/blosc.hpp"
#include "codec/chunk.hpp"
#include "codec/fletcher32.hpp"
#include "codec/inflater.hpp"
#include "codec/lz4.hpp"
#include "codec/lzf.hpp"
#include "codec/scratch.hpp"
#include "codec/shuffle.hpp"
#include "codec/stream_reader.hpp"
#include "codec/szip.hpp"
#include "codec/zstd.hpp"

namespace tessera::codec {
namespace {

void check_stored_size(std::span<const std::byte> stored, std::span<std::byte> raw) {
  if (stored.size() == raw.size()) return;
  throw base::run_error("chunk stored without compression has {}, not the {} of its tile",
                        bytes_text(stored), raw.size());
}

/// The bytes before the checksum at the end of `checked`.
std::span<const std::byte> check_crc32c(std::span<const std::byte> checked) {
  const std::size_t kept = checksum_bytes(Filter::Kind::crc32c);
  if (checked.size() < kept) {
    throw base::run_error("chunk of {}: is too short for its checksum", bytes_text(checked));
  }
  const auto bytes = checked.first(checked.size() - kept);
  if (base::crc32c(bytes) != little_endian<std::uint32_t>(checked.last(kept))) {
    throw base::run_error("chunk of {}: wrong crc32c checksum", bytes_text(checked));
  }
  return bytes;
}

/// Checks the checksum that `kind` says, and takes it off.
std::span<const std::byte> take_checksum(Filter::Kind kind, std::span<const std::byte> checked) {
  return kind == Filter::Kind::crc32c ? check_crc32c(checked) : check_fletcher32(checked);
}

/// Memory that undoing it takes beside its output: for a block, which is a chunk at most.
std::size_t own_bytes(Filter::Kind kind, std::size_t raw_bytes) {
  using Kind = Filter::Kind;
  if (kind == Kind::szip) return SzipDecoder::memory_bytes(raw_bytes);
  const bool has_blocks =
      kind == Kind::bitshuffle_lz4 || kind == Kind::bitshuffle_zstd || kind == Kind::blosc;
  return has_blocks ? raw_bytes : 0;
}

}  // namespace

struct ChunkDecoder::State {
  Filters filters;
  Inflater inflater;
  ZstdDecoder zstd;
  BitshuffleDecoder bitshuffle;
  BloscDecoder blosc;
  SzipDecoder szip;
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
    if (applies(i, filter_mask)) raw_bytes += checksum_bytes(filters[i].kind);
  }
  return raw_bytes;
}

bool ChunkDecoder::State::writes_before(std::size_t end, std::uint32_t filter_mask) const {
  for (std::size_t i = 0; i < end; ++i) {
    if (checksum_bytes(filters[i].kind) == 0 && applies(i, filter_mask)) return true;
  }
  return false;
}

void ChunkDecoder::State::undo(const Filter& filter, std::span<const std::byte> bytes,
                               std::span<std::byte> out) {
  using Kind = Filter::Kind;
  switch (filter.kind) {
    case Kind::shuffle:
      check_stored_size(bytes, out);
      return unshuffle(bytes, filter.element_bytes, out);
    case Kind::deflate:
      return inflater.inflate_zlib(bytes, out);
    case Kind::gzip:
      return inflater.inflate_gzip(bytes, out);
    case Kind::lzf:
      return decode_lzf(bytes, out);
    case Kind::zstd:
      return zstd.decode(bytes, out);
    case Kind::lz4:
      return decode_lz4_blocks(bytes, out);
    case Kind::lz4_sized:
      return decode_lz4_sized(bytes, out);
    case Kind::bitshuffle:
    case Kind::bitshuffle_lz4:
    case Kind::bitshuffle_zstd:
      return bitshuffle.decode(filter, bytes, out);
    case Kind::blosc:
      return blosc.decode(bytes, out);
    case Kind::szip:
      return szip.decode(filter.szip, bytes, out);
    case Kind::fletcher32:
    case Kind::crc32c:
      break;  // write nothing
  }
}

std::size_t ChunkDecoder::memory_bytes(std::span<const Filter> filters, std::size_t raw_bytes) {
  // zstd's tables are the largest; then a piece of a bitshuffled block.
  constexpr std::size_t kTables = std::size_t{256} << 10;
  std::size_t written = 0;
  std::size_t checksums = 0;
  bool is_inner_checked = false;
  std::size_t own = 0;
  for (const Filter& filter : filters) {
    const std::size_t checksum = checksum_bytes(filter.kind);
    checksums += checksum;
    written += checksum == 0 ? 1 : 0;
    is_inner_checked |= checksum > 0 && written == 0;
    own += own_bytes(filter.kind, raw_bytes + checksums);
  }
  // The first filter's input is the chunk itself, unless a checksum came before.
  const std::size_t between = written - (written > 0 && !is_inner_checked ? 1 : 0);
  const std::size_t buffers = std::min<std::size_t>(between, 2);
  return buffers * (raw_bytes + checksums) + own + kTables;
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
    if (checksum_bytes(state.filters[i].kind) > 0) {
      stored = take_checksum(state.filters[i].kind, stored);
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
