// The one place that calls ISA-L's deflate (igzip) at level 1, the fastest deflate known that still
// finds the matches of shuffled counts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace tessera::codec {

/// Keeps igzip's state and level buffer; one per worker thread.
class Igzip {
 public:
  Igzip();
  ~Igzip();
  Igzip(Igzip&&) noexcept;
  Igzip& operator=(Igzip&&) noexcept;

  /// Raw deflate of `in` (under 4 GiB), the final block included; the bytes written to `out`, or
  /// nothing when they do not fit.
  std::optional<std::size_t> deflate(std::span<const std::byte> in, std::span<std::byte> out);

  /// Bytes that an Igzip owns.
  static std::size_t memory_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codec
