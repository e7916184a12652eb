#include "store/arrays/npy_header.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tessera::store {
namespace {

std::vector<std::byte> head_of(int version, std::string_view text) {
  std::string head = "\x93NUMPY";
  head += static_cast<char>(version);
  head += '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  head += text;
  const auto* bytes = reinterpret_cast<const std::byte*>(head.data());
  return {bytes, bytes + head.size()};
}

NpyHeader parse(int version, std::string_view text) {
  const auto head = head_of(version, text);
  EXPECT_EQ(npy_header_bytes(std::span(head).first(kNpyPreambleBytes), "a.npy"), head.size());
  return parse_npy_header(head, "a.npy");
}

void expect_refused(std::string_view text, std::string_view word) {
  try {
    parse(1, text);
    ADD_FAILURE() << "no error about " << word;
  } catch (const base::Error& error) {
    const std::string_view what = error.what();
    EXPECT_EQ(error.code(), base::ExitCode::usage) << what;
    EXPECT_TRUE(what.starts_with("a.npy: ")) << what;
    EXPECT_NE(what.find(word), what.npos) << what;
  }
}

TEST(NpyHeader, IsReadInEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const NpyHeader header =
        parse(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }   \n");
    EXPECT_EQ(header.version, version);
    EXPECT_EQ(header.type, base::ElementType::f32);
    EXPECT_FALSE(header.big_endian);
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.shape, (job::Shape{3, 5}));
  }
}

TEST(NpyHeader, KnowsOrdersAndShapes) {
  const NpyHeader header = parse(1, "{'descr':'>u8','fortran_order':True,'shape':(7,)}");
  EXPECT_EQ(header.type, base::ElementType::u64);
  EXPECT_TRUE(header.big_endian);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, (job::Shape{7}));
  EXPECT_EQ(parse(1, "{'descr': '|i1', 'fortran_order': False, 'shape': ()}").shape, job::Shape{});
  EXPECT_EQ(parse(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}").type,
            base::ElementType::u8);
  EXPECT_TRUE(parse(1, "{'descr': '?', 'fortran_order': False, 'shape': ()}").is_boolean);
  EXPECT_FALSE(parse(1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}").is_boolean);
  EXPECT_EQ(parse(1, "{'shape': (4L, 2L), 'fortran_order': False, 'descr': '=f2'}").shape,
            (job::Shape{4, 2}));
}

TEST(NpyHeader, NamesTypesThatAreNoNumbers) {
  expect_refused("{'descr': '|S5', 'fortran_order': False, 'shape': (3,)}", "|S5");
  expect_refused("{'descr': '<c16', 'fortran_order': False, 'shape': (3,)}", "<c16");
  expect_refused("{'descr': '|b2', 'fortran_order': False, 'shape': (3,)}", "|b2");
  expect_refused("{'descr': '', 'fortran_order': False, 'shape': (3,)}", "''");
  expect_refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", "struct");
}

TEST(NpyHeader, IsRefusedWhenDamaged) {
  for (const std::string_view text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}"}) {
    expect_refused(text, "");
  }
  expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "-3");
  expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3.5,)}", "3.5");
}

TEST(NpyHeader, MayBePaddedWithBlanks) {
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }";
  for (const char* blanks : {"", "\n", "    \n", "\n  ", "\t\f\r\n"}) {
    EXPECT_EQ(parse(1, dictionary + blanks).shape, (job::Shape{3, 5}));
  }
}

TEST(NpyHeader, HasNothingBehindTheDictionary) {
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }";
  for (const char* text : {"x", "  \n\x93", ",", "}", " {}\n", "\v\n", "# no more\n"}) {
    expect_refused(dictionary + text, "damaged");
  }
  expect_refused(dictionary + std::string(1, '\0'), "damaged");
}

TEST(NpyHeader, IsTakenAtItsWordOnlyWhereNumPyTakesIt) {
  const auto with_shape = [](std::string_view shape) {
    return fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}", shape);
  };
  for (const char* shape : {"(3)", "(03,)", "(3,,)", "(,)", "(3 5)", "[3]", "3", "(3LL,)",
                            "(True,)", "(0x3,)", "(3_0,)", "(3\v,)"}) {
    expect_refused(with_shape(shape), "");
  }
  EXPECT_EQ(parse(1, with_shape("(3 ,5)")).shape, (job::Shape{3, 5}));
  EXPECT_EQ(parse(1, with_shape("(3, 5,)")).shape, (job::Shape{3, 5}));
  EXPECT_EQ(parse(2, with_shape("(0L,)")).shape, (job::Shape{0}));
  EXPECT_THROW(parse(3, with_shape("(3L,)")), base::Error);
  expect_refused("{'descr': '<i4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "");
  expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}", "");
  expect_refused("{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}", "");
}

TEST(NpyHeader, HasThisMachinesOrderWhereItNamesNone) {
  const bool big = std::endian::native == std::endian::big;
  for (const char* descr : {"f4", "=f4", "|f4"}) {
    const auto text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (3,)}}", descr);
    EXPECT_EQ(parse(1, text).big_endian, big);
  }
}

TEST(NpyHeader, IsWrittenInTheFirstVersionThatHoldsIt) {
  const auto version_of = [](std::size_t text, std::string_view letter) {
    const std::string around = "{'descr': '', 'fortran_order': False, 'shape': (), }";
    std::string type = fmt::format("'{}'", std::string(text - around.size(), 'x'));
    type.replace(1, letter.size(), letter);
    const std::string head = npy_head(type, "");
    const auto bytes = std::as_bytes(std::span(head));
    EXPECT_EQ(npy_header_bytes(bytes.first(kNpyPreambleBytes), "a.npy"), head.size());
    EXPECT_EQ(head.size() % 64, 0U);
    return static_cast<int>(head[6]);
  };
  constexpr std::size_t kMax = 0xffff - 64;
  EXPECT_EQ(version_of(100, "x"), 1);
  EXPECT_EQ(version_of(kMax - 1, "x"), 1);
  EXPECT_EQ(version_of(kMax, "x"), 1);
  EXPECT_EQ(version_of(kMax + 1, "x"), 2);
  EXPECT_EQ(version_of(100, "\xc3\xbc"), 3);
  EXPECT_EQ(version_of(kMax + 1, "\xc3\xbc"), 3);
}

TEST(NpyHeader, WantsMagicAndAKnownVersion) {
  auto head = head_of(1, "{}");
  head.resize(kNpyPreambleBytes);
  head[7] = std::byte{1};
  EXPECT_THROW(npy_header_bytes(head, "a.npy"), base::Error);
  head[7] = std::byte{0};
  head[6] = std::byte{9};
  EXPECT_THROW(npy_header_bytes(head, "a.npy"), base::Error);
  head[0] = std::byte{0};
  EXPECT_THROW(npy_header_bytes(head, "a.npy"), base::Error);
  EXPECT_THROW(npy_header_bytes({}, "a.npy"), base::Error);
}

}  // namespace
}  // namespace tessera::store
