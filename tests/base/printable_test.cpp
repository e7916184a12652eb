#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

TEST(Printable, KeepsTextAsItIs) {
  for (const char* text : {"", "a.npy: 5 %", "Größe 日本 \xf0\x9f\x98\x80", "\\x1b"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesWhatATerminalMayObey) {
  EXPECT_EQ(printable("\x1b[2Jgone\r\n\x7f"), "\\x1b[2Jgone\\x0d\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\xc2\xa0"),
            "\\xc2\\x9b"
            "2J\xc2\xa0");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, KeepsTheEndsOfLines) {
  EXPECT_EQ(printable_lines("a\x1b\n\nb\t\n"), "a\\x1b\n\nb\\x09\n");
  EXPECT_EQ(printable_lines("a"), "a");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x93NUMPY"), "\\x93NUMPY");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3z"), "\\xc3z");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");  // too long for what it is
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xff"), "\\xff");
}

}  // namespace
}  // namespace tessera::base
