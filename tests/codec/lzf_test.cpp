#include "codec/lzf.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "codec/fletcher32.hpp"
#include "encoders.hpp"
#include "sample_chunks.hpp"

namespace tessera::codec {
namespace {

Bytes bytes_of(const std::string& text) {
  Bytes bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

/// Encodes at random: literals, and copies from wherever the same bytes were before.
Bytes encode_somehow(const Bytes& raw, std::mt19937& random) {
  Bytes stream;
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t from = at - std::min<std::size_t>(at, 1 + random() % 8192);
    std::size_t same = 0;
    while (same < 264 && at + same < raw.size() && from < at &&
           raw[from + same] == raw[at + same]) {
      ++same;
    }
    if (same >= 3) {
      const std::size_t distance = at - from - 1;
      const std::size_t length = same - 2;
      const std::size_t head = std::min<std::size_t>(length, 7) << 5 | distance >> 8;
      stream.push_back(static_cast<std::byte>(head));
      if (length >= 7) stream.push_back(static_cast<std::byte>(length - 7));
      stream.push_back(static_cast<std::byte>(distance & 255));
      at += same;
      continue;
    }
    const std::size_t literals = std::min<std::size_t>(1 + random() % 32, raw.size() - at);
    stream.push_back(static_cast<std::byte>(literals - 1));
    stream.insert(stream.end(), raw.begin() + static_cast<std::ptrdiff_t>(at),
                  raw.begin() + static_cast<std::ptrdiff_t>(at + literals));
    at += literals;
  }
  return stream;
}

std::string complaint(const Bytes& stream, std::size_t raw_bytes) {
  Bytes raw(raw_bytes);
  try {
    decode_lzf(stream, raw);
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::failed);
    return error.what();
  }
}

TEST(Lzf, DecodesLiteralsAndCopies) {
  // "abc", then 9 bytes from 3 before, which overlap with what they make; then "d".
  Bytes stream = bytes_of("\2abc");
  stream.insert(stream.end(), {std::byte{0xE0}, std::byte{0}, std::byte{2}});
  for (const std::byte b : bytes_of(std::string("\0d", 2))) stream.push_back(b);
  Bytes raw(13);
  ASSERT_EQ(lzf_decoded_bytes(stream), raw.size());
  decode_lzf(stream, raw);
  EXPECT_EQ(raw, bytes_of("abcabcabcabcd"));
  EXPECT_EQ(lzf_decoded_bytes({}), 0U);
}

TEST(Lzf, DecodesWhatAnyEncoderMade) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    Bytes raw(1 + random() % 3000);
    const auto symbols = 1 + random() % 40;
    for (std::byte& b : raw) b = static_cast<std::byte>(random() % symbols);
    for (std::size_t i = raw.size() / 2; i < raw.size(); ++i) raw[i] = raw[i / 2];
    const Bytes stream = encode_somehow(raw, random);
    ASSERT_EQ(lzf_decoded_bytes(stream), raw.size());
    Bytes decoded(raw.size());
    decode_lzf(stream, decoded);
    ASSERT_EQ(decoded, raw) << trial;
  }
}

TEST(Lzf, SaysWhatIsDamaged) {
  const Bytes good = bytes_of("\2abc");
  EXPECT_EQ(complaint(good, 3), "");
  EXPECT_NE(complaint(good, 2).find("more than its chunk"), std::string::npos);
  EXPECT_NE(complaint(good, 4).find("less than its chunk"), std::string::npos);
  EXPECT_NE(complaint(bytes_of("\3abc"), 4).find("ends within a token"), std::string::npos);
  EXPECT_NE(complaint(bytes_of("\x40"), 4).find("ends within a token"), std::string::npos);
  EXPECT_NE(complaint(bytes_of("\xE0"), 4).find("ends within a token"), std::string::npos);
  Bytes before = good;
  before.insert(before.end(), {std::byte{0x20}, std::byte{3}});
  EXPECT_NE(complaint(before, 6).find("before its beginning"), std::string::npos);
}

TEST(Lzf, DamagedAnywhereReadsAndWritesNothingElse) {  // what the sanitizers see
  std::mt19937 random(11);
  Bytes raw(700);
  for (std::byte& b : raw) b = static_cast<std::byte>(random() % 5);
  const Bytes good = encode_somehow(raw, random);
  for (int trial = 0; trial < 3000; ++trial) {
    Bytes bad = good;
    for (unsigned i = 0; i <= random() % 3; ++i)
      bad[random() % bad.size()] ^= std::byte{1} << (random() % 8);
    if (random() % 2 == 0) bad.resize(random() % bad.size());
    bad.shrink_to_fit();
    complaint(bad, raw.size());
  }
}

TEST(Fletcher32, OfAnyLengthIsChecked) {
  std::mt19937 random(3);
  // Around the words that are summed at a time, too.
  for (const std::size_t size : {0, 1, 2, 3, 65, 65535, 65536, 65537, 65538, 200001}) {
    Bytes raw(size);
    for (std::byte& b : raw) b = static_cast<std::byte>(random());
    Bytes checked = with_fletcher32(raw);
    EXPECT_EQ(check_fletcher32(checked).size(), size);
    if (size == 0) continue;
    checked[random() % size] ^= std::byte{16};
    EXPECT_THROW(check_fletcher32(checked), base::Error) << size;
  }
  EXPECT_THROW(check_fletcher32(bytes_of("abc")), base::Error);
}

TEST(Fletcher32, TellsTheOrderOfTheWords) {
  Bytes checked = with_fletcher32(bytes_of("some words"));
  Bytes swapped = checked;
  std::swap_ranges(swapped.begin(), swapped.begin() + 2, swapped.begin() + 4);
  EXPECT_THROW(check_fletcher32(swapped), base::Error);
  checked.back() ^= std::byte{1};
  EXPECT_THROW(check_fletcher32(checked), base::Error);
}

TEST(Fletcher32, OfOldVersionsHasItsBytesTurned) {
  Bytes checked = with_fletcher32(bytes_of("some words"));
  std::swap(checked[10], checked[11]);
  std::swap(checked[12], checked[13]);
  EXPECT_EQ(check_fletcher32(checked).size(), 10U);
}

TEST(Filters, AreUndoneFromTheLastToTheFirst) {
  const Bytes raw = wavy_of(base::ElementType::u32, 1001);
  std::mt19937 random(2);
  Bytes inner = with_fletcher32(raw);
  const Bytes stored = with_fletcher32(encode_somehow(inner, random));
  ChunkDecoder decoder(Filters{{.kind = Filter::Kind::fletcher32},
                               {.kind = Filter::Kind::lzf},
                               {.kind = Filter::Kind::fletcher32}});
  Bytes decoded(raw.size());
  decoder.decode(stored, 0, decoded);
  EXPECT_EQ(decoded, raw);
  decoder.decode(encode_somehow(raw, random), 0b101, decoded);
  EXPECT_EQ(decoded, raw);
  decoder.decode(inner, 0b110, decoded);
  EXPECT_EQ(decoded, raw);
  decoder.decode(raw, 0b111, decoded);
  EXPECT_EQ(decoded, raw);
  EXPECT_THROW(decoder.decode(raw, 0b110, decoded), base::Error);
  EXPECT_THROW(decoder.decode(raw, 0b1111, decoded), base::Error);
}

}  // namespace
}  // namespace tessera::codec
