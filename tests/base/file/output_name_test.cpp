// Names beside an output, through links and near the longest name.
#include "base/file/output_name.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file/posix_file.hpp"

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

class OutputName : public testing::Test {
 protected:
  OutputName() {
    std::string pattern = (fs::temp_directory_path() / "tessera-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputName() override { fs::remove_all(folder_); }
  OutputName(const OutputName&) = delete;
  OutputName& operator=(const OutputName&) = delete;

  std::string in(const std::string& name) const { return (folder_ / name).string(); }
  std::string name_beside(const std::string& name, const std::string& suffix) const {
    return fs::path(beside(in(name), suffix)).filename().string();
  }

  fs::path folder_;
};

TEST_F(OutputName, is_that_of_the_file_with_a_suffix) {
  EXPECT_EQ(part_path("a.h5"), "a.h5.part");
  EXPECT_EQ(beside("./b/a.npy", ".done"), "./b/a.npy.done");
}

TEST_F(OutputName, follows_links_of_every_kind) {
  fs::create_directories(in("far/away"));
  fs::create_symlink("far", in("near"));
  fs::create_symlink("near/b", in("a"));                  // relative, through a linked folder
  fs::create_symlink("away/c", in("far/b"));              // a chain, relative to its own folder
  fs::create_symlink(in("far/nothing"), in("absolute"));  // to what is not there
  EXPECT_TRUE(fs::equivalent(folder_of(target_of(in("a"))), in("far/away")));
  EXPECT_EQ(fs::path(part_path(in("a"))).filename(), "c.part");
  EXPECT_EQ(part_path(in("absolute")), in("far/nothing.part"));
  EXPECT_FALSE(is_endless_link(in("a")));
}

TEST_F(OutputName, of_a_circle_is_its_own) {
  fs::create_symlink("b", in("a"));
  fs::create_symlink("a", in("b"));
  EXPECT_EQ(target_of(in("a")), in("a"));
  EXPECT_TRUE(is_endless_link(in("a")));
}

TEST_F(OutputName, is_not_what_the_kernel_shows_as_a_link) {
  fs::create_symlink("/proc/self/fd/2", in("a"));
  EXPECT_EQ(target_of(in("a")), in("a"));
  EXPECT_TRUE(is_endless_link(in("a")));
}

TEST_F(OutputName, is_cut_where_suffixes_have_no_room) {
  const std::string fits(kMaxNameBytes - kSuffixBytes, 'y');
  EXPECT_EQ(name_beside(fits, ".part"), fits + ".part");
  const std::string longer = fits + "y";
  const std::string cut = name_beside(longer, ".part");
  EXPECT_LE(cut.size() + kSuffixBytes - 5, kMaxNameBytes);
  EXPECT_TRUE(cut.starts_with("yyyy") && cut.ends_with(".part"));
  EXPECT_EQ(cut, name_beside(longer, ".part"));
  const std::string other = std::string(longer.size() - 1, 'y') + "z";
  EXPECT_NE(cut, name_beside(other, ".part"));
  EXPECT_NE(cut, name_beside(fits, ".part"));
}

TEST_F(OutputName, is_cut_between_characters) {
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string name(shift, 'x');
    while (name.size() < 250) name += "\xe2\x82\xac";
    const std::string cut = name_beside(name, "");
    const std::string kept = cut.substr(0, cut.find('~'));
    EXPECT_EQ((kept.size() - shift) % 3, 0U) << cut;
    EXPECT_TRUE(name.starts_with(kept));
  }
}

}  // namespace
}  // namespace tessera::base
