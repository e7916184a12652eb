// Swaps the byte order of elements in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tessera::base {

namespace detail {

template <class Word, class Swap>
void swap_words(std::span<std::byte> bytes, Swap swap) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = swap(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace detail

/// `element_bytes` is 1, 2, 4 or 8.
inline void swap_byte_order(std::span<std::byte> bytes, std::size_t element_bytes) {
  using detail::swap_words;
  if (element_bytes == 2) {
    swap_words<std::uint16_t>(bytes, [](std::uint16_t w) { return __builtin_bswap16(w); });
  } else if (element_bytes == 4) {
    swap_words<std::uint32_t>(bytes, [](std::uint32_t w) { return __builtin_bswap32(w); });
  } else if (element_bytes == 8) {
    swap_words<std::uint64_t>(bytes, [](std::uint64_t w) { return __builtin_bswap64(w); });
  }
}

}  // namespace tessera::base
