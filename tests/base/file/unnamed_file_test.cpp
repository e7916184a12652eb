#include "base/file/unnamed_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/store/scratch_folder.hpp"

namespace tessera::base {
namespace {

TEST(UnnamedFile, has_what_was_written_and_no_name) {
  const store::ScratchFolder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", folder.file("").c_str(), 1);
  UnnamedFile file;
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("")));
  for (const std::string& text : {std::string("first"), std::string(), std::string("second")}) {
    file.write(std::as_bytes(std::span(text)));
  }
  EXPECT_EQ(file.size_bytes(), 11U);
  EXPECT_EQ(file.read(0, 100), "firstsecond");
  EXPECT_EQ(file.read(3, 4), "stse");
  EXPECT_EQ(file.read(11, 4), "");
}

}  // namespace
}  // namespace tessera::base
