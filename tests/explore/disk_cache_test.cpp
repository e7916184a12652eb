#include "explore/disk_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/base/file/damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::explore {
namespace {

TEST(DiskCache, GivesASquareOrNone) {
  const store::ScratchFolder folder;
  DiskCache cache(folder.file("cache"), std::uint64_t{1} << 20);
  SquareValues values;
  values.type = base::ElementType::u16;
  values.counts.assign(2 * 64, std::byte{5});
  values.smooth.assign(4 * 64, std::byte{6});
  cache.keep("a square", values);
  const auto found = cache.find("a square");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counts, values.counts);
  EXPECT_EQ(found->smooth, values.smooth);
  EXPECT_FALSE(cache.find("another square"));
  const std::string path =
      std::filesystem::directory_iterator(folder.file("cache"))->path().string();
  const auto whole = base::read_whole(path);
  for (const auto& [what, bytes] : base::damages_of(whole, 400)) {
    base::write_whole(path, bytes);
    EXPECT_FALSE(cache.find("a square")) << what;
  }
  base::write_whole(path, whole);
  EXPECT_TRUE(cache.find("a square"));
}

}  // namespace
}  // namespace tessera::explore
