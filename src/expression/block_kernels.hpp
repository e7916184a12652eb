// The operations on blocks of elements, for the best instruction set of this machine.
#pragma once

#include <array>
#include <cstddef>

#include "expression/program.hpp"

namespace tessera::expression {

/// Elements that a kernel takes at once.
// crossed by: same_bits_test.of_random_expressions
inline constexpr std::size_t kStrip = 64;

/// Bytes at consecutive strips.
struct Strips {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;  ///< from one strip to the next; 0 = all strips are the same
};

struct BlockCall {
  std::size_t strips = 0;
  std::array<Strips, kMaxArguments> arguments;
  std::byte* result = nullptr;  ///< overlaps no argument
  /// Strips that a later call will read: fetched from memory meanwhile.
  std::array<Strips, kMaxArguments> ahead;
  std::size_t fetched = 0;  ///< number of these
};

/// Takes a copy, which the results that it writes cannot change.
using BlockKernel = void (*)(BlockCall call);

/// Not for inputs, constants, indices and functions.
BlockKernel block_kernel(const Node& node);

}  // namespace tessera::expression
