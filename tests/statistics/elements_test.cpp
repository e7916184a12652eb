#include "statistics/elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace tessera::statistics {
namespace {

using base::ElementType;

TEST(Elements, that_were_read_have_parts) {
  const std::array<std::uint16_t, 4> numbers = {1, 2, 3, 4};
  const Elements all(std::as_bytes(std::span(numbers)));
  EXPECT_EQ(all.count(ElementType::u16), 4);
  const Elements part = all.part(1, 2, ElementType::u16);
  EXPECT_EQ(part.count(ElementType::u16), 2);
  EXPECT_TRUE(std::ranges::equal(part.bytes(), std::as_bytes(std::span(numbers).subspan(1, 2))));
}

TEST(Elements, that_are_generated_have_parts_and_no_bytes) {
  const job::ArrayInput input = job::parse_array_input("random:uniform?count=1000&dtype=i4");
  const Elements all(GeneratedElements{input, 100, 50});
  EXPECT_EQ(all.count(ElementType::i32), 50);
  const Elements part = all.part(20, 30, ElementType::i32);
  ASSERT_TRUE(part.generated);
  EXPECT_EQ(part.generated->first, 120);
  EXPECT_EQ(part.generated->count, 30);
  try {
    part.bytes();
    FAIL() << "gave bytes";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("random:uniform"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tessera::statistics
