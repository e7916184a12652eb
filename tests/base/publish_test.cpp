// How finished files get their names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/posix_file.hpp"

namespace tessera::base {
namespace {

class Publish : public testing::Test {
 protected:
  Publish() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tessera-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "a";
    part_ = part_path(path_);
  }
  ~Publish() override { std::filesystem::remove_all(folder_); }
  Publish(const Publish&) = delete;
  Publish& operator=(const Publish&) = delete;

  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void publish(Replace replace) const { publish_file(part_, path_, identity_of(part_), replace); }

  std::filesystem::path folder_;
  std::string path_;
  std::string part_;
};

TEST_F(Publish, gives_the_name) {
  put(part_, "new");
  publish(Replace::nothing);
  EXPECT_EQ(contents(path_), "new");
  EXPECT_FALSE(exists(part_));
}

TEST_F(Publish, replaces_a_file_where_that_is_wanted) {
  put(path_, "old");
  put(part_, "new");
  publish(Replace::what_is_there);
  EXPECT_EQ(contents(path_), "new");
}

TEST_F(Publish, leaves_a_file_alone_where_it_is_not_and_keeps_the_new_one) {
  put(path_, "old");
  put(part_, "new");
  try {
    publish(Replace::nothing);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
  EXPECT_EQ(contents(path_), "old");
  EXPECT_EQ(contents(part_), "new");
}

TEST_F(Publish, takes_the_name_of_a_link_to_nothing) {
  std::filesystem::create_symlink("gone", path_);
  put(part_, "new");
  publish(Replace::nothing);
  EXPECT_EQ(contents(path_), "new");
}

TEST_F(Publish, refuses_a_part_that_another_run_has_replaced) {
  put(part_, "old");
  const FileIdentity written = identity_of(part_);
  put(part_ + "2", "other");
  std::filesystem::rename(part_ + "2", part_);
  EXPECT_THROW(publish_file(part_, path_, written, Replace::nothing), Error);
  EXPECT_FALSE(exists(path_));
}

}  // namespace
}  // namespace tessera::base
