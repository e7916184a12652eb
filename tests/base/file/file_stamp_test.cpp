#include "base/file/file_stamp.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::base {
namespace {

constexpr std::size_t kSample = 4096;

class DescribeFile : public testing::Test {
 protected:
  /// Writes the file, with a time that never changes; `changed`: this byte is another one.
  void write(const std::string& path, std::size_t bytes, std::size_t changed) {
    std::vector<std::byte> contents(bytes, std::byte{1});
    if (changed < bytes) contents[changed] = std::byte{2};
    write_whole(path, contents);
    std::filesystem::last_write_time(path, time_);
  }

  /// Until a change has another time than the last one of the file, as the clock of the file system
  /// goes in steps.
  void wait_for_the_clock() {
    const auto changed = [](const std::string& path) {
      struct stat status {};
      EXPECT_EQ(::stat(path.c_str(), &status), 0);
      return std::pair(status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
    };
    const std::string probe = folder_.file("probe");
    do {
      write_whole(probe, {});
    } while (changed(probe) == changed(path_));
  }

  store::ScratchFolder folder_;
  std::string path_ = folder_.file("a.npy");
  std::filesystem::file_time_type time_ =
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
};

TEST_F(DescribeFile, TellsASmallFileFromOneOfTheSameSizeAndTime) {
  write(path_, kSample, kSample);
  const std::string before = describe_file(path_, kSample);
  for (const std::size_t at : {std::size_t{0}, kSample / 2 + 1, kSample - 1}) {
    write(path_, kSample, at);
    EXPECT_NE(describe_file(path_, kSample), before) << at;
  }
  write(path_, kSample, kSample);
  EXPECT_EQ(describe_file(path_, kSample), before) << "the same contents again";
  const std::string copy = folder_.file("b.npy");
  write(copy, kSample, kSample);
  EXPECT_EQ(describe_file(copy, kSample), before) << "a copy with its time";
  std::filesystem::last_write_time(path_, time_ + std::chrono::seconds(1));
  EXPECT_NE(describe_file(path_, kSample), before) << "another time";
}

TEST_F(DescribeFile, TellsALargeFileFromOneThatReplacedItOrWasChangedWhereNoSampleIs) {
  for (const std::size_t bytes : {kSample + 1, 100 * kSample}) {
    write(path_, bytes, bytes);
    const std::string before = describe_file(path_, kSample);
    EXPECT_EQ(describe_file(path_, kSample), before);
    wait_for_the_clock();
    write(path_, bytes, bytes / 3 + 1000);
    EXPECT_NE(describe_file(path_, kSample), before) << "in place";
    write(path_, bytes, bytes);
    const std::string again = describe_file(path_, kSample);
    write(folder_.file("b.npy"), bytes, bytes / 3 + 1000);
    std::filesystem::rename(folder_.file("b.npy"), path_);
    EXPECT_NE(describe_file(path_, kSample), again) << "by another file";
  }
}

TEST_F(DescribeFile, StatusIsAnotherAfterAChangeThatKeepsTheTime) {
  EXPECT_EQ(describe_status(path_), "none");
  write(path_, 10, 0);
  const std::string before = describe_status(path_);
  EXPECT_EQ(describe_status(path_), before);
  wait_for_the_clock();
  write(path_, 10, 1);
  EXPECT_NE(describe_status(path_), before) << "in place";
  const std::string again = describe_status(path_);
  write(folder_.file("b.npy"), 10, 1);
  std::filesystem::rename(folder_.file("b.npy"), path_);
  EXPECT_NE(describe_status(path_), again) << "by another file";
}

TEST_F(DescribeFile, SamplesTheFirstAndTheLastByte) {
  const std::size_t bytes = 100 * kSample;
  write(path_, bytes, bytes);
  const std::string before = describe_contents(path_, kSample);
  write(path_, bytes, bytes / 3 + 1000);
  EXPECT_EQ(describe_contents(path_, kSample), before) << "no sample is there";
  for (const std::size_t at : {std::size_t{0}, bytes - 1}) {
    write(path_, bytes, at);
    EXPECT_NE(describe_contents(path_, kSample), before) << at;
  }
}

TEST_F(DescribeFile, DoesNotReadWhatIsNoFile) {
  EXPECT_EQ(describe_file(path_, kSample), "none");
  EXPECT_NE(describe_file(folder_.file(""), kSample), "none");
  write(path_, 0, 0);
  EXPECT_EQ(describe_contents(path_, kSample), describe_file(path_, kSample));
}

TEST(SampleBytes, AreFewerOfManyFiles) {
  EXPECT_EQ(sample_bytes_of(0), sample_bytes_of(1));
  EXPECT_GT(sample_bytes_of(1), sample_bytes_of(2000));
  EXPECT_GT(sample_bytes_of(2000), sample_bytes_of(1'000'000));
  EXPECT_GE(sample_bytes_of(1'000'000), 4096u);
}

}  // namespace
}  // namespace tessera::base
