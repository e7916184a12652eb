#include "codec/inflater.hpp"

#include <libdeflate.h>

#include <string>

#include "codec/stream_reader.hpp"

namespace tessera::codec {
namespace {

/// A compressed chunk in messages.
std::string chunk_text(std::span<const std::byte> stream) {
  return "chunk of " + bytes_text(stream);
}

base::Error inflates_to_less(std::span<const std::byte> stream, std::span<std::byte> out) {
  return base::run_error("{}: inflates to less than the {} of its tile", chunk_text(stream),
                         bytes_text(out));
}

base::Error inflates_to_more(std::span<const std::byte> stream, std::span<std::byte> out) {
  return base::run_error("{}: inflates to more than the {} of its tile", chunk_text(stream),
                         bytes_text(out));
}

/// libdeflate returns BAD_DATA for every damage. Inflating again without the checksum distinguishes
/// a wrong Adler-32 from a damaged deflate stream.
base::Error bad_zlib(libdeflate_decompressor* decompressor, std::span<const std::byte> stream,
                     std::span<std::byte> out) {
  constexpr std::size_t kHead = 2;
  if (stream.size() > kHead) {
    const auto body = stream.subspan(kHead);
    const bool inflates =
        libdeflate_deflate_decompress(decompressor, body.data(), body.size(), out.data(),
                                      out.size(), nullptr) == LIBDEFLATE_SUCCESS;
    if (inflates) return base::run_error("{}: wrong Adler-32", chunk_text(stream));
  }
  return base::run_error("{}: not a valid zlib stream", chunk_text(stream));
}

}  // namespace

void Inflater::Free::operator()(libdeflate_decompressor* decompressor) const {
  libdeflate_free_decompressor(decompressor);
}

libdeflate_decompressor* Inflater::decompressor() {
  if (!decompressor_) decompressor_.reset(libdeflate_alloc_decompressor());
  if (!decompressor_) throw base::run_error("libdeflate_alloc_decompressor: no memory");
  return decompressor_.get();
}

void Inflater::inflate_zlib(std::span<const std::byte> stream, std::span<std::byte> out) {
  std::size_t used = 0;
  switch (libdeflate_zlib_decompress_ex(decompressor(), stream.data(), stream.size(), out.data(),
                                        out.size(), &used, nullptr)) {
    case LIBDEFLATE_SUCCESS:
      break;
    case LIBDEFLATE_SHORT_OUTPUT:
      throw inflates_to_less(stream, out);
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      throw inflates_to_more(stream, out);
    case LIBDEFLATE_BAD_DATA:
      throw bad_zlib(decompressor(), stream, out);
  }
  if (used != stream.size()) {
    throw base::run_error("{}: its zlib stream ends after {}", chunk_text(stream), used);
  }
}

void Inflater::inflate_gzip(std::span<const std::byte> stream, std::span<std::byte> out) {
  auto rest = stream;
  auto room = out;
  do {  // a member
    std::size_t used = 0;
    std::size_t written = 0;
    switch (libdeflate_gzip_decompress_ex(decompressor(), rest.data(), rest.size(), room.data(),
                                          room.size(), &used, &written)) {
      case LIBDEFLATE_SUCCESS:
        break;
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        throw inflates_to_more(stream, out);
      default:
        throw base::run_error("{}: not a valid gzip stream", chunk_text(stream));
    }
    rest = rest.subspan(used);
    room = room.subspan(written);
  } while (!rest.empty());
  if (!room.empty()) throw inflates_to_less(stream, out);
}

}  // namespace tessera::codec
