// Of two runs with one output one has it; what is of others stays.
#include "base/file/unfinished_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/file/text_kind.hpp"

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

class Unfinished : public testing::Test {
 protected:
  Unfinished() {
    std::string pattern = (fs::temp_directory_path() / "tessera-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = (folder_ / "a").string();
    part_ = part_path(path_);
    before_ = ::umask(022);
  }
  ~Unfinished() override {
    ::umask(before_);
    fs::remove_all(folder_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777;
  }

  fs::path folder_;
  std::string path_, part_;
  mode_t before_ = 0;
};

TEST_F(Unfinished, is_had_by_one) {
  UnfinishedFile first(path_, {});
  EXPECT_THROW(UnfinishedFile(path_, {}), Error);
  EXPECT_THROW(UnfinishedFile(path_, anything), Error);
  EXPECT_THROW(UnfinishedFile::resume(path_), Error);
  put(part_, "first");
  first.publish(Replace::nothing);
  EXPECT_EQ(contents_of(path_), "first");
  EXPECT_FALSE(exists(part_));
}

TEST_F(Unfinished, is_removed_only_by_the_one_that_has_it) {
  auto first = std::make_unique<UnfinishedFile>(path_, IsOurs());
  EXPECT_THROW(UnfinishedFile(path_, {}), Error);
  EXPECT_TRUE(exists(part_));
  fs::remove(part_);  // as another run does that believes this one dead
  put(part_, "another's");
  first.reset();
  EXPECT_EQ(contents_of(part_), "another's");
}

TEST_F(Unfinished, replaces_what_a_killed_run_has_left) {
  {
    UnfinishedFile killed(path_, {});
    put(part_, "half");
    killed.keep();
  }
  if (!is_marked_unfinished(part_)) GTEST_SKIP() << "this file system has no attributes";
  const UnfinishedFile next(path_, {});
  EXPECT_EQ(contents_of(part_), "");
}

TEST_F(Unfinished, replaces_nothing_of_others) {
  put(part_, "mine");
  EXPECT_THROW(UnfinishedFile(path_, {}), Error);
  EXPECT_THROW(UnfinishedFile(path_, of_kind(kReport)), Error);
  EXPECT_EQ(contents_of(part_), "mine");
  { const UnfinishedFile any(path_, anything); }
  EXPECT_FALSE(exists(part_));
}

TEST_F(Unfinished, waits_for_no_pipe_and_follows_no_link) {
  ASSERT_EQ(::mkfifo(part_.c_str(), 0600), 0);
  EXPECT_THROW(UnfinishedFile(path_, anything), Error);
  fs::remove(part_);
  put(path_ + "2", "mine");
  fs::create_symlink("a2", part_);
  EXPECT_THROW(UnfinishedFile(path_, anything), Error);
  EXPECT_EQ(contents_of(path_ + "2"), "mine");
}

TEST_F(Unfinished, shows_nobody_what_the_finished_one_hides) {
  put(path_, "old");
  for (const unsigned mode : {0600U, 0640U, 0444U, 0664U, 0755U}) {
    ::chmod(path_.c_str(), mode);
    UnfinishedFile file(path_, {});
    EXPECT_EQ(mode_of(part_) & ~mode & 0077, 0U) << mode;
    file.publish(Replace::what_is_there);
    EXPECT_EQ(mode_of(path_), mode);
  }
}

TEST_F(Unfinished, has_the_usual_permissions_where_nothing_is) {
  UnfinishedFile file(path_, {});
  file.publish(Replace::what_is_there);
  EXPECT_EQ(mode_of(path_), 0644U);
}

TEST_F(Unfinished, goes_where_a_link_leads) {
  fs::create_directory(folder_ / "far");
  for (const std::string old : {"", "old"}) {
    fs::remove(path_);
    if (!old.empty()) put((folder_ / "far/b").string(), old);
    fs::create_symlink("far/b", path_);
    UnfinishedFile file(path_, {});
    put(file.part(), "new");
    file.publish(Replace::what_is_there);
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_EQ(contents_of((folder_ / "far/b").string()), "new");
  }
}

TEST_F(Unfinished, is_a_kind_of_text_only_by_all_of_its_beginning) {
  const auto is = [&](const std::string& text, const TextKind& kind) {
    put(path_, text);
    return is_of_kind(path_, kind);
  };
  EXPECT_TRUE(is("{\n  \"schema\": \"tessera-reduce-1\",\n  \"command\": \"map\"", kReport));
  EXPECT_FALSE(is("{\n  \"schema\": \"tessera-notes-1\",\n  \"command\": \"map\"", kReport));
  EXPECT_FALSE(is("{\n  \"schema\": \"tessera-reduce-1\", \"mine\": 1}", kReport));
  EXPECT_FALSE(is(" {\n  \"schema\": \"tessera-reduce-1\",\n  \"command\": \"map\"", kReport));
  for (const TextKind& kind : {kTrace, kPage, kPlot}) {
    EXPECT_TRUE(is(std::string(kind.mark) + "more", kind));
    EXPECT_FALSE(is("\n" + std::string(kind.mark), kind));
    EXPECT_FALSE(is(std::string(kind.mark.substr(0, kind.mark.size() - 1)), kind));
  }
}

}  // namespace
}  // namespace tessera::base
