// Text fitted to the width of a terminal.
#include "base/terminal.hpp"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

TEST(Wrapped, breaks_long_lines_at_blanks_and_indents_as_far_as_the_last_column) {
  EXPECT_EQ(wrapped("one two three\nfour\n\nfive", 9), "one two\nthree\nfour\n\nfive");
  EXPECT_EQ(wrapped("  --size N    pixels in each row and rows of all", 34),
            "  --size N    pixels in each row\n              and rows of all");
}

TEST(Wrapped, leaves_lines_that_fit_and_words_that_cannot_be_broken) {
  EXPECT_EQ(wrapped("a b", 3), "a b");
  EXPECT_EQ(wrapped("unbreakable x\n", 4), "unbreakable\nx\n");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Fitted, counts_characters) {
  EXPECT_EQ(fitted("größe", 4), "größ");
  EXPECT_EQ(fitted("größe", 5), "größe");
  EXPECT_EQ(fitted("abc", 9), "abc");
}

}  // namespace
}  // namespace tessera::base
