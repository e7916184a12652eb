#include "device/gpu/queue/program_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tessera::device::gpu {
namespace {

class ProgramCacheTest : public testing::Test {
 protected:
  ~ProgramCacheTest() override { std::filesystem::remove_all(folder_); }

  std::string contents() const {
    std::ifstream file(cache_.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& text) const {
    std::ofstream(cache_.path(), std::ios::binary) << text;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("tessera program cache " + std::to_string(::getpid()));
  ProgramCache cache_{folder_, "opencl", "device A, driver 1, source"};
  const std::vector<unsigned char> binary_ = {0, 1, 2, 0, 255, '\n'};
};

TEST_F(ProgramCacheTest, gives_back_what_was_saved_in_a_folder_that_was_not_there) {
  EXPECT_FALSE(cache_.load());
  cache_.save(binary_);
  EXPECT_EQ(cache_.load(), binary_);
  EXPECT_EQ(ProgramCache(folder_, "opencl", "device A, driver 1, source").load(), binary_);
}

TEST_F(ProgramCacheTest, has_nothing_for_another_device_driver_or_source) {
  cache_.save(binary_);
  EXPECT_FALSE(ProgramCache(folder_, "opencl", "device A, driver 2, source").load());
  EXPECT_FALSE(ProgramCache(folder_, "cuda", "device A, driver 1, source").load());
}

TEST_F(ProgramCacheTest, takes_no_damaged_entry) {
  cache_.save(binary_);
  const std::string whole = contents();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    overwrite(damaged);
    EXPECT_FALSE(cache_.load()) << "byte " << at;
    overwrite(whole.substr(0, at));
    EXPECT_FALSE(cache_.load()) << "cut to " << at;
  }
  overwrite(whole);
  EXPECT_EQ(cache_.load(), binary_);
}

TEST_F(ProgramCacheTest, leaves_no_other_files_and_forgives_a_folder_that_cannot_be) {
  cache_.save(binary_);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  const ProgramCache in_a_file(cache_.path(), "cuda", "x");
  in_a_file.save(binary_);
  EXPECT_FALSE(in_a_file.load());
  const ProgramCache nowhere("", "cuda", "x");
  nowhere.save(binary_);
  EXPECT_FALSE(nowhere.load());
}

/// Sets when a file was used.
void use(const std::filesystem::path& file, std::chrono::hours ago) {
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - ago);
}

TEST_F(ProgramCacheTest, keeps_the_programs_that_were_used_last) {
  std::vector<ProgramCache> caches;
  for (int i = 0; i < 5; ++i) {
    caches.emplace_back(folder_, i % 2 == 0 ? "opencl" : "cuda", "program " + std::to_string(i));
    caches.back().save(binary_);
    use(caches.back().path(), std::chrono::hours(10 - i));
  }
  EXPECT_TRUE(caches[0].load());  // is used now
  trim_cache(folder_, {.files = 3});
  for (const int kept : {0, 3, 4}) EXPECT_TRUE(caches[static_cast<std::size_t>(kept)].load());
  for (const int gone : {1, 2}) EXPECT_FALSE(caches[static_cast<std::size_t>(gone)].load());
  use(caches[3].path(), std::chrono::hours(200));
  trim_cache(folder_, {.unused = std::chrono::hours(100)});
  EXPECT_FALSE(caches[3].load());
  trim_cache(folder_, {.bytes = 1});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ProgramCacheTest, removes_what_a_process_left_unfinished_and_nothing_of_others) {
  cache_.save(binary_);
  const std::filesystem::path mine = cache_.path() + ".123";
  const std::filesystem::path theirs = folder_ / "notes.txt";
  for (const auto& path : {mine, theirs}) {
    std::ofstream(path) << "x";
  }
  trim_cache(folder_, {.files = 1});
  EXPECT_TRUE(std::filesystem::exists(mine));  // is being written, perhaps
  for (const auto& path : {mine, theirs}) use(path, std::chrono::hours(24 * 365));
  trim_cache(folder_, {.files = 1});
  EXPECT_FALSE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::exists(theirs));
  EXPECT_TRUE(cache_.load());
}

TEST(CacheFolder, is_that_of_the_user) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const std::string before = cache == nullptr ? "" : cache;
  ::setenv("XDG_CACHE_HOME", "/somewhere/cache", 1);
  EXPECT_EQ(cache_folder(), "/somewhere/cache/tessera");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, says the XDG specification
  EXPECT_EQ(cache_folder().find("relative"), std::string::npos);
  cache == nullptr ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace tessera::device::gpu
