#include "codec/lzf.hpp"

#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "codec/lz_copy.hpp"

namespace tessera::codec {
namespace {

base::Error bad_lzf(std::span<const std::byte> stream, const char* what) {
  return base::run_error("chunk of {}: its LZF stream {}",
                         base::count_of(std::ssize(stream), "byte"), what);
}

/// Either `bytes` that follow in the stream, or `bytes` that were decoded `distance` before.
struct LzfToken {
  std::size_t bytes = 0;
  std::size_t distance = 0;  ///< 0: they follow
};

class LzfTokens {
 public:
  explicit LzfTokens(std::span<const std::byte> stream) : stream_(stream) {}

  /// Nothing at the end. Throws if the stream ends within a token.
  std::optional<LzfToken> next() {
    if (at_ == stream_.size()) return std::nullopt;
    constexpr unsigned kLiterals = 32;
    constexpr unsigned kLongest = 7;
    const unsigned head = take();
    if (head < kLiterals) {
      const std::size_t bytes = head + 1;
      if (stream_.size() - at_ < bytes) throw ends_early();
      literals_ = stream_.data() + at_;
      at_ += bytes;
      return LzfToken{.bytes = bytes};
    }
    unsigned bytes = head >> 5;
    if (bytes == kLongest) bytes += take();
    const unsigned distance = (head & 31) << 8 | take();
    return LzfToken{.bytes = bytes + 2, .distance = distance + 1};
  }
  /// The bytes of the last token that has them in the stream.
  const std::byte* literals() const { return literals_; }
  /// Whether 32 bytes can be read from there.
  bool has_wide_literals() const {
    return stream_.data() + stream_.size() - literals_ >= std::ptrdiff_t{32};
  }

 private:
  unsigned take() {
    if (at_ == stream_.size()) throw ends_early();
    return std::to_integer<unsigned>(stream_[at_++]);
  }
  base::Error ends_early() const { return bad_lzf(stream_, "ends within a token"); }

  std::span<const std::byte> stream_;
  std::size_t at_ = 0;
  const std::byte* literals_ = nullptr;
};

}  // namespace

std::size_t lzf_decoded_bytes(std::span<const std::byte> stream) {
  LzfTokens tokens(stream);
  std::size_t bytes = 0;
  while (const auto token = tokens.next()) bytes += token->bytes;
  return bytes;
}

void decode_lzf(std::span<const std::byte> stream, std::span<std::byte> out) {
  LzfTokens tokens(stream);
  std::size_t done = 0;
  while (const auto token = tokens.next()) {
    const std::size_t room = out.size() - done;
    if (token->bytes > room) throw bad_lzf(stream, "decodes to more than its chunk");
    if (token->distance > done) throw bad_lzf(stream, "copies from before its beginning");
    std::byte* const to = out.data() + done;
    if (token->distance > 0) {
      copy_back(to, token->distance, token->bytes, room);
    } else if (room >= 32 && tokens.has_wide_literals()) {
      std::memcpy(to, tokens.literals(), 32);  // of a fixed size: without a call
    } else {
      std::memcpy(to, tokens.literals(), token->bytes);
    }
    done += token->bytes;
  }
  if (done != out.size()) throw bad_lzf(stream, "decodes to less than its chunk");
}

}  // namespace tessera::codec
