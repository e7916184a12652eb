#include "codec/zstd.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstdint>

#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

constexpr std::string_view kZstdStream = "zstd";

/// Whether a frame of the format begins there. Frames of its drafts, which libzstd may know too,
/// are not decoded.
bool begins_zstd_frame(std::span<const std::byte> stream) {
  constexpr std::uint32_t kMagic = 0xFD2FB528;
  constexpr std::uint32_t kSkippable = 0x184D2A50;  // and the 15 after it
  if (stream.size() < sizeof kMagic) return false;
  const auto magic = little_endian<std::uint32_t>(stream);
  return magic == kMagic || (magic & ~15U) == kSkippable;
}

/// `result` is what the call returned.
std::size_t checked_zstd(std::size_t result, std::span<const std::byte> stream) {
  if (ZSTD_isError(result) == 0) return result;
  if (ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall) {
    throw bad_stream(kZstdStream, stream, "decodes to more than its chunk");
  }
  throw bad_stream(kZstdStream, stream, fmt::format("is damaged: {}", ZSTD_getErrorName(result)));
}

}  // namespace

bool has_zstd() {
  return true;
}

void ZstdDecoder::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

void ZstdDecoder::decode(std::span<const std::byte> stream, std::span<std::byte> out) {
  if (!context_) context_.reset(ZSTD_createDCtx());
  if (!context_) throw base::run_error("ZSTD_createDCtx: no memory");
  auto rest = stream;
  auto room = out;
  while (!rest.empty()) {
    if (!begins_zstd_frame(rest))
      throw bad_stream(kZstdStream, stream, "has bytes that are no frame");
    const std::size_t used =
        checked_zstd(ZSTD_findFrameCompressedSize(rest.data(), rest.size()), stream);
    const std::size_t written = checked_zstd(
        ZSTD_decompressDCtx(context_.get(), room.data(), room.size(), rest.data(), used), stream);
    rest = rest.subspan(used);
    room = room.subspan(written);
  }
  if (!room.empty()) throw bad_stream(kZstdStream, stream, "decodes to less than its chunk");
}

}  // namespace tessera::codec
