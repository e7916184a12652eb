#include "base/quoted.hpp"

#include <gtest/gtest.h>

#include "base/printable.hpp"

namespace tessera::base {
namespace {

TEST(Quoted, JsonAndPythonAndCsv) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\x7fü"), R"("a\"b\\c\u000a\u007fü")");
  EXPECT_EQ(python_quoted("o'clock\\ \"x\"\n"), R"('o\'clock\\ "x"\x0a')");
  EXPECT_EQ(csv_field("plain ü"), "plain ü");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"a\"\n"), "\"say \"\"a\"\"\n\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
  EXPECT_EQ(csv_field("\xef\xbb\xbfk"), "\"\xef\xbb\xbfk\"");
}

TEST(Quoted, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(json_quoted("\xff"), R"("\\xff")");
  EXPECT_EQ(python_quoted("\xff"), R"('\\xff')");
  EXPECT_EQ(csv_field("\xff"), R"(\xff)");
}

TEST(Printable, IsTheSameBytesAgain) {
  for (const char* name :
       {"", "a.npy", "\x1b[2J\r\n", "\xff\xc3", "ü", "a\\b", "\\", "\\x", "\\x4"}) {
    EXPECT_EQ(from_printable(printable(name)), name);
    EXPECT_EQ(from_printable(escaped(name)), name);
  }
  for (const char* name :
       {"\\x41", "\\\\x41", "\\x1b\x1b", "\\x\\x41", "x\\x5cx41", "\\x41\\x41"}) {
    EXPECT_EQ(from_printable(escaped(name)), name);
    EXPECT_EQ(printable(name).find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(escaped("\x1b"), "\\x1b");
  EXPECT_EQ(escaped("\\x1b"), "\\x5cx1b");
  EXPECT_EQ(from_printable("a\\x3Fb\\x3d"), "a?b=");
  EXPECT_EQ(from_printable("\\x00\\x\\xg1\\x4"), "\\x00\\x\\xg1\\x4");
}

}  // namespace
}  // namespace tessera::base
