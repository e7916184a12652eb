// A folder under a temporary name, which becomes the output as a whole.
#include "base/file/unfinished_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

class UnfinishedFolders : public testing::Test {
 protected:
  UnfinishedFolders() {
    std::string pattern = (fs::temp_directory_path() / "tessera-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = (folder_ / "a").string();
    part_ = part_folder(path_);
  }
  ~UnfinishedFolders() override { fs::remove_all(folder_); }
  UnfinishedFolders(const UnfinishedFolders&) = delete;
  UnfinishedFolders& operator=(const UnfinishedFolders&) = delete;

  static void put(const std::string& folder, const std::string& text) {
    fs::create_directories(folder + "/inner");
    std::ofstream(folder + "/inner/file") << text;
  }
  static std::string text_in(const std::string& folder) {
    return contents_of(folder + "/inner/file");
  }
  auto names() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
  std::string path_, part_;
};

TEST_F(UnfinishedFolders, become_the_output_without_their_mark) {
  UnfinishedFolder made(path_, {});
  EXPECT_EQ(made.path(), part_);
  EXPECT_TRUE(is_left_over_folder(part_));
  put(part_, "new");
  made.complete();
  EXPECT_FALSE(is_left_over_folder(part_));
  made.publish(Replace::nothing);
  EXPECT_EQ(text_in(path_), "new");
  EXPECT_EQ(names(), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), {}), 1);
}

TEST_F(UnfinishedFolders, replace_a_folder_and_keep_its_mode) {
  put(path_, "old");
  ::chmod(path_.c_str(), 0750);
  UnfinishedFolder made(path_, {});
  put(part_, "new");
  EXPECT_EQ(text_in(path_), "old");
  EXPECT_THROW(made.publish(Replace::nothing), Error);
  EXPECT_EQ(text_in(path_), "old");
  EXPECT_EQ(text_in(part_), "new") << "it stays for a later run";
  made.publish(Replace::what_is_there);
  EXPECT_EQ(text_in(path_), "new");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0750));
  EXPECT_EQ(names(), 1);
}

TEST_F(UnfinishedFolders, are_not_exchanged_for_a_file) {
  std::ofstream(path_) << "mine";
  UnfinishedFolder made(path_, {});
  EXPECT_THROW(made.publish(Replace::what_is_there), Error);
  EXPECT_EQ(contents_of(path_), "mine");
}

TEST_F(UnfinishedFolders, are_removed_unless_they_are_kept) {
  put(UnfinishedFolder(path_, {}).path() + "x", "beside");
  EXPECT_FALSE(exists(part_));
  UnfinishedFolder(path_, {}).keep();
  EXPECT_TRUE(exists(part_));
  std::optional<UnfinishedFolder> again(UnfinishedFolder::resume(path_));
  again.reset();
  EXPECT_FALSE(exists(part_));
}

TEST_F(UnfinishedFolders, replace_what_a_run_has_left_and_nothing_else) {
  UnfinishedFolder(path_, {}).keep();
  put(part_, "half");
  UnfinishedFolder(path_, {}).keep();
  EXPECT_EQ(text_in(part_), "") << "it was removed";
  fs::remove_all(part_);
  put(part_, "mine");
  EXPECT_THROW(UnfinishedFolder(path_, {}), Error);
  EXPECT_EQ(text_in(part_), "mine");
  UnfinishedFolder(path_, anything).keep();
  EXPECT_EQ(text_in(part_), "");
  fs::remove_all(part_);
  put(path_ + "2", "mine");
  fs::create_directory_symlink(path_ + "2", part_);
  EXPECT_THROW(UnfinishedFolder(path_, anything), Error) << "a link leads to what is not ours";
  EXPECT_EQ(text_in(path_ + "2"), "mine");
}

TEST_F(UnfinishedFolders, can_be_taken_back) {
  put(path_, "done");
  take_back_folder(path_);
  EXPECT_FALSE(exists(path_));
  EXPECT_EQ(text_in(part_), "done");
  EXPECT_TRUE(exists(part_path(path_))) << "with its lock";
}

}  // namespace
}  // namespace tessera::base
