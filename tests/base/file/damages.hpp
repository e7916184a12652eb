// What may happen to a file between two runs: a few damages of each kind, the same at each run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tessera::base {

struct Damage {
  std::string what;
  std::vector<std::byte> bytes;
};

inline std::vector<std::byte> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline void write_whole(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// `flips` flipped bits, among them in the first bytes, and an eighth as many of the other kinds:
/// cuts, zeros, swapped pieces. The last one is appended garbage.
inline std::vector<Damage> damages_of(const std::vector<std::byte>& whole, std::size_t flips) {
  std::mt19937_64 random(27);
  std::vector<Damage> all;
  const auto place = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  for (std::size_t i = 0; i < flips; ++i) {
    const std::size_t at =
        i % 4 == 0 ? place(std::min<std::size_t>(64, whole.size())) : place(whole.size());
    all.push_back({fmt::format("a flip at {}", at), whole});
    all.back().bytes[at] ^= std::byte{1} << place(8);
  }
  for (std::size_t i = 0; i < flips / 8 + 1; ++i) {
    const std::size_t kept = place(whole.size());
    all.push_back({fmt::format("cut to {}", kept),
                   {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)}});
    const std::size_t piece = 1 + place(std::min<std::size_t>(512, whole.size() / 2));
    const std::size_t first = place(whole.size() - 2 * piece + 1);
    const std::size_t second = first + piece + place(whole.size() - first - 2 * piece + 1);
    const auto at = [&](Damage& damage, std::size_t offset) {
      return damage.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    all.push_back({fmt::format("{} zeros at {}", piece, first), whole});
    std::fill_n(at(all.back(), first), piece, std::byte{});
    all.push_back({fmt::format("{} bytes swapped at {} and {}", piece, first, second), whole});
    std::swap_ranges(at(all.back(), first), at(all.back(), first + piece), at(all.back(), second));
  }
  std::erase_if(all, [&](const Damage& damage) { return damage.bytes == whole; });
  all.push_back({"appended garbage", whole});
  for (int i = 0; i < 100; ++i) all.back().bytes.push_back(static_cast<std::byte>(random()));
  return all;
}

}  // namespace tessera::base
