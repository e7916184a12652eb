// The only caller of ISA-L's deflate (igzip), at level 1: the fastest known deflate that still
// finds the matches of shuffled counts and filtered pixels.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace tessera::codec {

/// Keeps igzip's state and level buffer; one per worker thread.
class Igzip {
 public:
  enum class Ending {
    final_block,  ///< the deflate stream ends here
    /// Full flush: not final, byte aligned; the next piece is independent of this one.
    byte_boundary,
  };

  Igzip();
  ~Igzip();
  Igzip(Igzip&&) noexcept;
  Igzip& operator=(Igzip&&) noexcept;

  /// Deflates `in` (under 4 GiB) on its own, without a zlib header. Returns the number of bytes
  /// written to `out`, or nothing if they do not fit; they fit if out.size() >= bound(in.size()).
  /// The bytes always inflate to `in`, but are not always the same: about one call in 10^4 depends
  /// on the address of igzip's state (ISA-L 2.30), so never compare them.
  std::optional<std::size_t> deflate(std::span<const std::byte> in, Ending ending,
                                     std::span<std::byte> out);

  /// Upper bound of the output: igzip falls back to stored blocks.
  static std::size_t bound(std::size_t in_bytes);
  /// Memory of an Igzip in bytes.
  static std::size_t memory_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codec
