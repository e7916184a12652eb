// Bytes that chance has damaged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>

#include "base/bytes.hpp"

namespace tessera {

/// Bits turned, a byte set to what heads make much of, cut, longer, a part repeated elsewhere.
inline void damage(base::Bytes& bytes, std::mt19937& random) {
  // Heads are where the sizes are.
  const auto place = [&] {
    const std::size_t most =
        random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 40) : bytes.size();
    return random() % most;
  };
  switch (random() % 6) {
    case 0:
    case 1:
      bytes[place()] ^= std::byte{1} << (random() % 8);
      break;
    case 2: {
      constexpr unsigned kValues[] = {0, 1, 127, 128, 254, 255, '9'};
      bytes[place()] = static_cast<std::byte>(kValues[random() % 7]);
      break;
    }
    case 3:
      bytes.resize(1 + random() % bytes.size());
      break;
    case 4:
      bytes.insert(bytes.end(), 1 + random() % 20, static_cast<std::byte>(random()));
      break;
    default: {
      const std::size_t from = place();
      const std::size_t to = place();
      const std::size_t count = std::min(bytes.size() - std::max(from, to), random() % 9);
      std::copy_n(base::Bytes(bytes).begin() + static_cast<std::ptrdiff_t>(from), count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
}

}  // namespace tessera
