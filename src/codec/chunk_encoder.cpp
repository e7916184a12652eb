#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "codec/igzip.hpp"
#include "codec/scratch.hpp"
#include "codec/shuffle.hpp"

namespace tessera::codec {
namespace {

/// Remembers the encoded bytes of the last few chunks of one repeated value: mostly the inside of
/// the set, and the bands far outside it. Their number and size are bounded.
class UniformChunks {
 public:
  // crossed by: OfOneValueHasTheSameBytesHoweverOftenAndWhateverCameBetween
  static constexpr std::size_t kEntries = 8;
  /// Deflate shrinks a constant about a thousandfold; larger results are not worth keeping.
  static std::size_t largest(std::size_t raw_bytes) { return raw_bytes / 128 + 64; }

  const EncodedChunk* find(std::span<const std::byte> value, std::size_t raw_bytes) const {
    for (const Entry& entry : entries_) {
      if (entry.raw_bytes == raw_bytes &&
          std::memcmp(entry.value.data(), value.data(), value.size()) == 0) {
        return &entry.chunk;
      }
    }
    return nullptr;
  }

  void remember(std::span<const std::byte> value, std::size_t raw_bytes,
                const EncodedChunk& chunk) {
    if (chunk.bytes.size() > largest(raw_bytes)) return;
    Entry& entry = entries_[std::exchange(oldest_, (oldest_ + 1) % kEntries)];
    std::copy(value.begin(), value.end(), entry.value.begin());
    entry.raw_bytes = raw_bytes;
    entry.chunk = chunk;
  }

 private:
  struct Entry {
    std::array<std::byte, 8> value{};  ///< of the widest element
    std::size_t raw_bytes = 0;
    EncodedChunk chunk;
  };
  std::array<Entry, kEntries> entries_;
  std::size_t oldest_ = 0;
};

bool is_uniform(std::span<const std::byte> raw, std::size_t element_bytes) {
  // A uniform chunk equals itself moved by one element; memcmp stops at the first difference.
  return raw.size() > element_bytes && raw.size() % element_bytes == 0 &&
         std::memcmp(raw.data(), raw.data() + element_bytes, raw.size() - element_bytes) == 0;
}

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

Compressor make_compressor(int level) {
  const int effort = level == 2 ? 6 : 12;
  Compressor compressor(libdeflate_alloc_compressor(effort));
  if (!compressor) throw base::run_error("libdeflate_alloc_compressor({}): no memory", effort);
  return compressor;
}

/// A zlib stream (RFC 1950) around igzip's raw deflate, because libdeflate's Adler-32 is faster
/// than igzip's. 0 if it does not fit.
std::size_t igzip_zlib(Igzip& igzip, std::span<const std::byte> in, std::span<std::byte> out) {
  constexpr std::size_t kHead = 2;
  constexpr std::size_t kTail = 4;
  if (out.size() < kHead + kTail) return 0;
  const auto body = out.subspan(kHead, out.size() - kHead - kTail);
  const auto size = igzip.deflate(in, Igzip::Ending::final_block, body);
  if (!size) return 0;
  out[0] = std::byte{0x78};
  out[1] = std::byte{0x01};
  const std::uint32_t adler = libdeflate_adler32(1, in.data(), in.size());
  for (std::size_t i = 0; i < kTail; ++i) {
    out[kHead + *size + i] = static_cast<std::byte>(adler >> (24 - 8 * i));
  }
  return kHead + *size + kTail;
}

EncodedChunk stored(std::span<const std::byte> raw) {
  return {{raw.begin(), raw.end()}, kNoFilters};
}

}  // namespace

struct ChunkEncoder::State {
  std::size_t element_bytes;
  int level;
  std::unique_ptr<Igzip> igzip;  ///< level 1
  Compressor compressor;         ///< levels 2 and 3
  Scratch shuffled;
  Scratch deflated;
  UniformChunks uniform;

  EncodedChunk deflate(std::span<const std::byte> raw);
  /// The deflated stream of `planes`; empty if it would not be shorter.
  std::span<const std::byte> deflate_planes(std::span<const std::byte> planes);
};

std::span<const std::byte> ChunkEncoder::State::deflate_planes(std::span<const std::byte> planes) {
  if (planes.empty()) return {};
  // One byte less than the input: a stream that does not fit does not shrink.
  const auto out = deflated.take(planes.size() - 1);
  const std::size_t size = level == 1
                               ? igzip_zlib(*igzip, planes, out)
                               : libdeflate_zlib_compress(compressor.get(), planes.data(),
                                                          planes.size(), out.data(), out.size());
  return out.first(size);
}

EncodedChunk ChunkEncoder::State::deflate(std::span<const std::byte> raw) {
  const auto planes = shuffled.take(raw.size());
  shuffle(raw, element_bytes, planes);
  const auto result = deflate_planes(planes);
  if (result.empty()) return stored(raw);
  // Copied out of the scratch buffer, so that queued chunks occupy only their size.
  return {{result.begin(), result.end()}, kAllFilters};
}

ChunkEncoder::ChunkEncoder(base::ElementType type, int level) : state_(std::make_unique<State>()) {
  if (level < 0 || level > 3) throw base::usage_error("--compress: {} is not 0, 1, 2 or 3", level);
  state_->element_bytes = base::element_bytes(type);
  state_->level = level;
  if (level == 1) state_->igzip = std::make_unique<Igzip>();
  if (level >= 2) state_->compressor = make_compressor(level);
}

ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

EncodedChunk ChunkEncoder::encode(std::span<const std::byte> raw) {
  State& state = *state_;
  if (state.level == 0) return stored(raw);
  if (!is_uniform(raw, state.element_bytes)) return state.deflate(raw);
  const auto value = raw.first(state.element_bytes);
  if (const EncodedChunk* known = state.uniform.find(value, raw.size())) return *known;
  EncodedChunk chunk = state.deflate(raw);
  state.uniform.remember(value, raw.size(), chunk);
  return chunk;
}

EncodedChunk ChunkEncoder::encode_shuffled(std::span<const std::byte> planes) {
  const auto result = state_->deflate_planes(planes);
  if (result.empty()) return {{planes.begin(), planes.end()}, kDeflateSkipped};
  return {{result.begin(), result.end()}, kAllFilters};
}

EncodedChunk ChunkEncoder::encode_uniform(std::span<const std::byte> value, std::size_t raw_bytes) {
  State& state = *state_;
  if (const EncodedChunk* known = state.uniform.find(value, raw_bytes)) return *known;
  const std::size_t elements = raw_bytes / value.size();
  std::span<const std::byte> deflated;
  if (state.level > 0) {
    const auto planes = state.shuffled.take(raw_bytes);
    for (std::size_t b = 0; b < value.size(); ++b) {
      std::ranges::fill(planes.subspan(b * elements, elements), value[b]);
    }
    deflated = state.deflate_planes(planes);
  }
  EncodedChunk chunk{{deflated.begin(), deflated.end()}, kAllFilters};
  if (deflated.empty()) {
    chunk = {std::vector<std::byte>(raw_bytes), kNoFilters};
    for (std::size_t i = 0; i < raw_bytes; ++i) chunk.bytes[i] = value[i % value.size()];
  }
  state.uniform.remember(value, raw_bytes, chunk);
  return chunk;
}

std::size_t ChunkEncoder::memory_bytes(std::size_t raw_bytes, int level) {
  if (level == 0) return sizeof(State) + raw_bytes;
  // libdeflate does not report the size of its compressors: measured, rounded up, checked by a
  // test.
  constexpr std::array<std::size_t, 4> kCompressor = {0, 0, std::size_t{1} << 20,
                                                      std::size_t{10} << 20};
  const std::size_t scratch_and_result = 3 * raw_bytes;
  const std::size_t remembered = UniformChunks::kEntries * UniformChunks::largest(raw_bytes);
  return sizeof(State) + Igzip::memory_bytes() + kCompressor.at(static_cast<std::size_t>(level)) +
         scratch_and_result + remembered;
}

}  // namespace tessera::codec
