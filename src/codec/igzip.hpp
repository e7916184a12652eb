// The one place that calls ISA-L's deflate (igzip) at level 1, the fastest deflate known that still
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
    final_block,    ///< the deflate stream ends here
    byte_boundary,  ///< full flush: not final, byte aligned, the next piece needs nothing of this
  };

  Igzip();
  ~Igzip();
  Igzip(Igzip&&) noexcept;
  Igzip& operator=(Igzip&&) noexcept;

  /// Raw deflate of `in` (under 4 GiB), on its own; the bytes written to `out`, or nothing when
  /// they do not fit. They fit if out.size() >= bound(in.size()). They inflate to `in` always, but
  /// are not always the same: about one call in 10^4 depends on where in memory igzip's state lies
  /// (ISA-L 2.30), so nothing may compare them.
  std::optional<std::size_t> deflate(std::span<const std::byte> in, Ending ending,
                                     std::span<std::byte> out);

  /// igzip falls back to stored blocks, so that this is never exceeded.
  static std::size_t bound(std::size_t in_bytes);
  /// Bytes that an Igzip owns.
  static std::size_t memory_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codec
