// How finished files get their names.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/file/posix_file.hpp"

namespace {

/// What the next calls answer instead of what they would; 0: nothing.
int answer_of_rename = 0;
int answer_of_link = 0;
/// As NFS when it has to repeat the call.
bool links_all_the_same = false;

int answer(int error_number) {
  errno = error_number;
  return -1;
}

}  // namespace

// They stand before those of libc.
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (answer_of_rename != 0) return answer(answer_of_rename);
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

extern "C" int link(const char* from, const char* to) noexcept {
  if (answer_of_link == 0 || links_all_the_same) {
    if (::linkat(AT_FDCWD, from, AT_FDCWD, to, 0) != 0) return -1;
  }
  return answer_of_link == 0 ? 0 : answer(answer_of_link);
}

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
  ~Publish() override {
    answer_of_rename = answer_of_link = 0;
    links_all_the_same = false;
    std::filesystem::remove_all(folder_);
  }
  Publish(const Publish&) = delete;
  Publish& operator=(const Publish&) = delete;

  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// A file that is there stays, and otherwise the new one gets its name.
  void expect_replaces_nothing() const {
    put(part_, "new");
    publish(Replace::nothing);
    EXPECT_EQ(contents(path_), "new");
    EXPECT_FALSE(exists(part_));
    put(part_, "newer");
    EXPECT_THROW(publish(Replace::nothing), Error);
    EXPECT_EQ(contents(path_), "new");
    EXPECT_EQ(contents(part_), "newer");
    std::filesystem::remove(path_);
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

TEST_F(Publish, replaces_nothing_where_no_rename_can_promise_that) {
  for (const int lacking : {EINVAL, ENOSYS, EOPNOTSUPP, ENOTSUP, EPERM}) {
    SCOPED_TRACE(lacking);
    answer_of_rename = lacking;
    answer_of_link = 0;
    expect_replaces_nothing();
    for (const int no_links : {EPERM, EOPNOTSUPP, ENOSYS, EMLINK}) {
      SCOPED_TRACE(no_links);
      answer_of_link = no_links;
      expect_replaces_nothing();
    }
  }
}

TEST_F(Publish, says_why_a_rename_failed_that_is_not_lacking) {
  answer_of_rename = EIO;
  put(part_, "new");
  EXPECT_THROW(publish(Replace::nothing), Error);
  EXPECT_FALSE(exists(path_));
  EXPECT_EQ(contents(part_), "new");
}

TEST_F(Publish, knows_a_link_that_was_made_although_the_answer_says_that_it_was_there) {
  answer_of_rename = EINVAL;
  answer_of_link = EEXIST;
  links_all_the_same = true;
  put(part_, "new");
  publish(Replace::nothing);
  EXPECT_EQ(contents(path_), "new");
  EXPECT_FALSE(exists(part_));
}

TEST_F(Publish, never_leaves_a_symbolic_link_without_its_file) {
  for (const int lacking : {0, EINVAL}) {
    answer_of_rename = lacking;
    put(part_, "new");
    std::filesystem::create_symlink(part_, path_);
    EXPECT_THROW(publish(Replace::nothing), Error);
    EXPECT_EQ(contents(part_), "new");
    std::filesystem::remove(path_);
  }
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
