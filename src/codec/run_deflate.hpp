// Deflate for filtered RGB pixels, which are runs of one repeated pixel (above all zero) with noise
// between them. Looking for nothing else is twice as fast as igzip and gives the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::codec {

/// Keeps its scratch; one per worker thread.
class RunDeflate {
 public:
  /// Whole deflate blocks, none of them final, ended at a byte boundary; they need nothing of what
  /// was deflated before. Returns the bytes written; `out` has bound(in.size()) bytes.
  std::size_t deflate(std::span<const std::byte> in, std::span<std::byte> out);

  /// Never exceeded: what would grow is stored. Includes bytes that are scribbled on, not returned.
  static std::size_t bound(std::size_t in_bytes);
  /// Upper bound of the scratch that is kept after pieces of `in_bytes`.
  static std::size_t memory_bytes(std::size_t in_bytes);

 private:
  struct Token {
    std::uint32_t literals;  ///< bytes as they are, then
    std::uint32_t run;       ///< bytes equal to those a pixel before; 0 only in the last token
  };
  struct Histogram;

  void find_runs(std::span<const std::uint8_t> in, Histogram& histogram);

  std::vector<Token> tokens_;
};

}  // namespace tessera::codec
