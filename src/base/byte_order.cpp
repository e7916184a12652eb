#include "base/byte_order.hpp"

#include <cstdint>
#include <cstring>

#include "base/vector_clones.hpp"

namespace tessera::base {
namespace {

template <class Word, class Swap>
void swap_words(std::span<std::byte> bytes, Swap swap) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = swap(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace

TESSERA_WITH_AND_WITHOUT_AVX2
void swap_byte_order(std::span<std::byte> bytes, std::size_t element_bytes) {
  if (element_bytes == 2) {
    swap_words<std::uint16_t>(bytes, [](std::uint16_t w) { return __builtin_bswap16(w); });
  } else if (element_bytes == 4) {
    swap_words<std::uint32_t>(bytes, [](std::uint32_t w) { return __builtin_bswap32(w); });
  } else if (element_bytes == 8) {
    swap_words<std::uint64_t>(bytes, [](std::uint64_t w) { return __builtin_bswap64(w); });
  }
}

}  // namespace tessera::base
