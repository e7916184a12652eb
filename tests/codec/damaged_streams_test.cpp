// Every decoder with bytes that were damaged by chance: what the sanitizers see, and what
// tools/soak repeats with other seeds.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "every_filter.hpp"
#include "tests/damage.hpp"

namespace tessera::codec {
namespace {

unsigned number_of(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Returns how many were noticed.
std::size_t decode_damaged(const Sample& sample, std::size_t raw_bytes, std::size_t trials,
                           std::mt19937& random) {
  ChunkDecoder decoder(sample.filters);
  Bytes raw(raw_bytes);
  std::size_t noticed = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    Bytes bad = sample.stored;
    for (auto times = 1 + random() % 3; times > 0; --times) damage(bad, random);
    bad.shrink_to_fit();  // what is read behind its end is seen
    try {
      decoder.decode(bad, 0, raw);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::failed) << sample.name;
      ++noticed;
    }
  }
  return noticed;
}

TEST(DamagedStreams, OfEveryFilterAreErrorsOrOtherNumbersAndNothingElse) {
  constexpr std::size_t kTrials = 120;  // of more than 440 samples: more than 50,000 in all
  std::mt19937 random(number_of("TESSERA_SEED", 1));
  const std::size_t trials = kTrials * number_of("TESSERA_SOAK", 1);
  std::size_t tried = 0;
  std::size_t noticed = 0;
  for (const std::size_t width : {1, 2, 4, 8}) {
    const std::size_t elements = 300 + random() % 1000;
    for (const Bytes& raw :
         {wavy<float>(elements * width / 4 + 40), random_bytes(elements * width)}) {
      for (const Sample& sample : every_filter(raw, width)) {
        tried += trials;
        noticed += decode_damaged(sample, raw.size(), trials, random);
      }
    }
  }
  // Most formats have no checksum: what their sizes and ends do not tell is not noticed.
  EXPECT_GT(noticed, tried / 2) << tried;
  RecordProperty("inputs", std::to_string(tried));
}

}  // namespace
}  // namespace tessera::codec
