// Counts what the codecs really allocate, by replacing operator new in this program and the
// allocator of libdeflate; ISA-L allocates nothing of its own.
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "codec/png_band.hpp"
#include "every_filter.hpp"
#include "sample_chunks.hpp"

namespace {

std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

void* counted_malloc(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory != nullptr) live_bytes += malloc_usable_size(memory);
  peak_bytes = std::max(peak_bytes, live_bytes);
  return memory;
}

void counted_free(void* memory) {
  if (memory != nullptr) live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = counted_malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void operator delete(void* memory) noexcept {
  counted_free(memory);
}
void operator delete[](void* memory) noexcept {
  counted_free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  counted_free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  counted_free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  counted_free(memory);
}

namespace tessera::codec {
namespace {

/// What malloc rounds up beyond what it was asked for.
constexpr std::size_t kRounding = 32 * 1024;

template <class Work>
std::size_t peak_of(Work work) {
  const std::size_t before = live_bytes;
  peak_bytes = live_bytes;
  work();
  return peak_bytes - before;
}

/// 1 if they decode.
int decodes(ChunkDecoder& decoder, const Bytes& stored, Bytes& decoded) {
  try {
    decoder.decode(stored, 0, decoded);
    return 1;
  } catch (const base::Error&) {
    return 0;
  }
}

TEST(MemoryBytes, OfAChunkEncoderIsAnUpperBoundAtEveryLevel) {
  libdeflate_set_memory_allocator(counted_malloc, counted_free);
  for (std::size_t count : {64, 4096, 512 * 512}) {
    const std::vector<Bytes> chunks = {wavy<std::uint32_t>(count), random_bytes(4 * count),
                                       uniform(base::ElementType::u32, count, 7),
                                       uniform(base::ElementType::u32, count, 0x01020304)};
    for (int level = 0; level <= 3; ++level) {
      const std::size_t peak = peak_of([&] {
        ChunkEncoder encoder(base::ElementType::u32, level);
        for (const Bytes& raw : chunks) encoder.encode(raw);
      });
      const std::size_t bound = ChunkEncoder::memory_bytes(4 * count, level);
      EXPECT_LE(peak, bound + kRounding) << count << " elements, level " << level;
      // A bound that says too much keeps memory from being used.
      if (count == 512 * 512) {
        EXPECT_GE(peak, bound / 2) << "level " << level;
      }
    }
  }
  libdeflate_set_memory_allocator(std::malloc, std::free);
}

/// The decoders' own libraries take memory by malloc; it does not depend on what the chunks say.
TEST(MemoryBytes, OfAChunkDecoderIsAnUpperBoundForAnyBytes) {
  const Bytes raw = wavy<float>(100'000);
  std::mt19937 random(4);
  for (const Sample& sample : every_filter(raw, 4)) {
    const std::size_t bound = ChunkDecoder::memory_bytes(sample.filters, raw.size());
    Bytes decoded(raw.size());
    const std::size_t peak = peak_of([&] {
      ChunkDecoder decoder(sample.filters);
      decoder.decode(sample.stored, 0, decoded);
    });
    EXPECT_LE(peak, bound + kRounding) << sample.name;
    for (int trial = 0; trial < 60; ++trial) {
      Bytes bad = sample.stored;
      bad[random() % std::min<std::size_t>(bad.size(), 32)] ^= static_cast<std::byte>(random());
      const std::size_t bad_peak = peak_of([&] {
        ChunkDecoder decoder(sample.filters);
        EXPECT_LE(decodes(decoder, bad, decoded), 1);
      });
      ASSERT_LE(bad_peak, bound + kRounding) << sample.name;
    }
  }
}

TEST(MemoryBytes, OfAPngBandEncoderIsAnUpperBoundEvenForNoise) {
  for (std::int64_t width_px : {1, 100, 4000}) {
    const Bytes rgb = random_bytes(static_cast<std::size_t>(width_px) * 3 * 100);
    const std::size_t peak = peak_of([&] { PngBandEncoder().encode(rgb, width_px); });
    EXPECT_LE(peak, PngBandEncoder::memory_bytes(rgb.size()) + kRounding) << width_px;
  }
}

}  // namespace
}  // namespace tessera::codec
