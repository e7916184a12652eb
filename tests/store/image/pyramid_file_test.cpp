// Smaller scales in a file: what a process that was killed leaves.
#include "store/image/pyramid_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/base/file/damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

/// 8 x 8 tiles, levels of 4 x 4, 2 x 2 and 1 chunks.
const PyramidSpec kSpec{.fingerprint = "0123456789abcdef",
                        .type = base::ElementType::u16,
                        .size_px = {128, 128},
                        .tile_px = 16,
                        .levels = 3};

/// Raw chunks, of which no filter is applied.
std::vector<std::byte> chunk_of(int value) {
  return std::vector<std::byte>(16 * 16 * 2, static_cast<std::byte>(value));
}

constexpr std::uint32_t kRaw = 0b11;

std::vector<std::byte> chunk_of(int level, int value) {
  return chunk_of(16 * level + value);
}

/// The tile and all chunks above it.
void add(PyramidFile& file, std::int64_t row, std::int64_t column, int value) {
  for (int level = 1; level <= kSpec.levels; ++level) {
    file.write(level, row >> level, column >> level, chunk_of(level, value), kRaw);
  }
  file.tiles()[static_cast<std::size_t>(row * 8 + column)] = static_cast<std::uint32_t>(value);
}

/// What is in the file of a process that is killed now.
std::string killed(const std::string& path) {
  const std::string copy = path + ".killed";
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
  return copy;
}

std::int64_t included(PyramidFile& file) {
  return std::ssize(file.tiles()) - std::ranges::count(file.tiles(), 0U);
}

class PyramidFileTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  std::string path_ = folder_.file("a.pyramid");
};

TEST_F(PyramidFileTest, keeps_what_was_there_at_the_last_checkpoint) {
  PyramidFile file(path_, kSpec);
  add(file, 0, 0, 1);
  add(file, 7, 7, 2);
  file.checkpoint();
  add(file, 3, 3, 3);
  PyramidFile found(killed(path_), kSpec);
  EXPECT_EQ(found.tiles()[0], 1U);
  EXPECT_EQ(found.tiles()[63], 2U);
  EXPECT_EQ(included(found), 2);
  std::vector<std::byte> bytes;
  std::uint32_t mask = 0;
  ASSERT_TRUE(found.read(1, 3, 3, bytes, mask));
  EXPECT_EQ(bytes, chunk_of(1, 2));
  EXPECT_EQ(mask, kRaw);
}

TEST_F(PyramidFileTest, goes_on_after_a_kill) {
  {
    PyramidFile file(path_, kSpec);
    add(file, 0, 0, 1);
    file.checkpoint();
    killed(path_);
  }
  const std::string left = path_ + ".killed";
  {
    PyramidFile file(left, kSpec);
    add(file, 5, 5, 4);
  }
  PyramidFile saved(left, kSpec);
  EXPECT_EQ(included(saved), 2);
}

TEST_F(PyramidFileTest, forgets_damaged_chunks_and_the_tiles_of_those_of_level_1) {
  for (const int level : {1, 2}) {
    PyramidFile file(path_ + std::to_string(level), kSpec);
    add(file, 0, 0, 1);
    add(file, 7, 7, 2);
    file.checkpoint();
    const std::string left = killed(path_ + std::to_string(level));
    std::string bytes = contents(left);
    const std::size_t at = bytes.find(std::string(512, static_cast<char>(16 * level + 1)));
    ASSERT_NE(at, std::string::npos);
    bytes[at + 100] = 0;
    std::ofstream(left, std::ios::binary | std::ios::trunc) << bytes;
    PyramidFile found(left, kSpec);
    EXPECT_FALSE(found.has(level, 0, 0)) << level;
    EXPECT_TRUE(found.has(3 - level, 0, 0)) << level;
    EXPECT_EQ(found.tiles()[0], level == 1 ? 0U : 1U);
    EXPECT_EQ(found.tiles()[63], 2U);
  }
}

TEST_F(PyramidFileTest, gives_what_was_written_or_nothing_of_a_damaged_file) {
  for (const bool complete : {true, false}) {
    const std::string path = path_ + (complete ? "complete" : "killed");
    std::map<std::array<std::int64_t, 3>, std::vector<std::byte>> truth;
    {
      PyramidFile file(path, kSpec);
      for (std::int64_t tile = 0; tile < 64; ++tile) {
        const int value = static_cast<int>(1 + tile % 15);
        add(file, tile / 8, tile % 8, value);
        for (int level = 1; level <= kSpec.levels; ++level) {
          truth[{level, tile / 8 >> level, tile % 8 >> level}] = chunk_of(level, value);
        }
      }
      file.checkpoint();
      if (!complete) killed(path);
    }
    const auto whole = base::read_whole(complete ? path : path + ".killed");
    for (const auto& [what, bytes] : base::damages_of(whole, 120)) {
      base::write_whole(path, bytes);
      PyramidFile found(path, kSpec);
      for (const auto& [place, chunk] : truth) {
        const auto [level, row, column] = place;
        std::vector<std::byte> read;
        std::uint32_t mask = 0;
        if (!found.read(static_cast<int>(level), row, column, read, mask)) continue;
        EXPECT_EQ(read, chunk) << what << ", level " << level;
        EXPECT_EQ(mask, kRaw) << what << ", level " << level;
      }
    }
  }
}

TEST_F(PyramidFileTest, a_saved_one_whose_process_was_killed_is_whole) {
  PyramidFile file(path_, kSpec);
  add(file, 2, 2, 9);
  file.save();
  PyramidFile found(killed(path_), kSpec);
  EXPECT_EQ(included(found), 1);
}

TEST_F(PyramidFileTest, without_a_checkpoint_nothing_is_kept) {
  PyramidFile file(path_, kSpec);
  add(file, 2, 2, 9);
  PyramidFile found(killed(path_), kSpec);
  EXPECT_EQ(included(found), 0);
}

TEST_F(PyramidFileTest, of_another_image_is_not_used) {
  PyramidFile file(path_, kSpec);
  add(file, 2, 2, 9);
  file.save();
  const std::string left = killed(path_);
  PyramidSpec other = kSpec;
  other.fingerprint = "fedcba9876543210";
  PyramidFile found(left, other);
  EXPECT_EQ(included(found), 0);
}

}  // namespace
}  // namespace tessera::store
