#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera::base {
namespace {

struct Line {
  std::string text;
  std::vector<std::int64_t> numbers;

  static auto members(auto& self) { return std::tie(self.text, self.numbers); }
  friend bool operator==(const Line&, const Line&) = default;
};

struct Page {
  std::uint8_t number = 0;
  std::vector<Line> lines;
  std::array<double, 2> size{};
  std::vector<std::string> notes;
  std::vector<bool> marks;
  std::map<int, Line> margins;

  static auto members(auto& self) {
    return std::tie(self.number, self.lines, self.size, self.notes, self.marks, self.margins);
  }
  friend bool operator==(const Page&, const Page&) = default;
};

const Page kTwoLists{7,
                     {{"first", {1, -2, 3}}, {}, {"last", {}}},
                     {0.5, -1},
                     {"", "two"},
                     {true, false, false, true, false, true, true, false, true},
                     {{-3, {"x", {9}}}, {5, {}}}};

TEST(Bytes, give_back_structs_within_structs) {
  EXPECT_EQ(from_bytes<Page>(to_bytes(kTwoLists)), kTwoLists);
  EXPECT_EQ(from_bytes<Page>(to_bytes(Page())), Page());
}

TEST(Bytes, that_are_cut_anywhere_or_too_long_are_an_error) {
  Bytes bytes = to_bytes(kTwoLists);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(from_bytes<Page>(std::span(bytes).first(i)), Error) << i;
  }
  bytes.push_back({});
  EXPECT_THROW(from_bytes<Page>(bytes), Error);
}

TEST(Bytes, that_claim_more_values_than_there_can_be_are_an_error) {
  const Bytes bytes = to_bytes(std::size_t{1} << 61, std::int64_t{0});
  EXPECT_THROW(from_bytes<std::vector<std::int64_t>>(bytes), Error);
  EXPECT_THROW(from_bytes<std::string>(bytes), Error);
  EXPECT_THROW(from_bytes<std::vector<std::string>>(bytes), Error);
}

TEST(Bytes, of_a_string_and_of_views_of_it_are_the_same) {
  const std::string text = "words";
  EXPECT_EQ(to_bytes(text), to_bytes(std::string_view(text)));
  EXPECT_EQ(to_bytes(text), to_bytes(std::span(text)));
  EXPECT_EQ(to_bytes(text).size(), sizeof(std::size_t) + text.size());
}

TEST(Bytes, of_booleans_are_bits) {
  EXPECT_EQ(to_bytes(std::vector<bool>(17)).size(), sizeof(std::size_t) + 3);
}

TEST(Bytes, replace_what_the_value_was_before) {
  const Bytes bytes = to_bytes(kTwoLists);
  Page page{1, {{"old", {4}}}, {}, {"old"}, {true}, {{7, {"old", {}}}}};
  ByteReader(bytes).read(page);
  EXPECT_EQ(page, kTwoLists);
}

}  // namespace
}  // namespace tessera::base
