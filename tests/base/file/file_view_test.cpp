#include "base/file/file_view.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file/input_file.hpp"

namespace tessera::base {
namespace {

/// Otherwise nothing is viewed.
[[maybe_unused]] const bool lost_bytes_handled = (end_process_at_lost_bytes(), true);

/// A file of `bytes` bytes, the i-th of which is i * 7.
class Sevens {
 public:
  explicit Sevens(std::size_t bytes) {
    path_ = (std::filesystem::temp_directory_path() / "tessera-view-XXXXXX").string();
    ::close(::mkstemp(path_.data()));
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = at(i);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Sevens() { std::filesystem::remove(path_); }
  Sevens(const Sevens&) = delete;
  Sevens& operator=(const Sevens&) = delete;

  static char at(std::size_t i) { return static_cast<char>(i * 7); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void expect_sevens(std::span<const std::byte> bytes, std::size_t first) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_EQ(static_cast<char>(bytes[i]), Sevens::at(first + i)) << i;
  }
}

TEST(FileView, ShowsTheBytesOfAnyPlace) {
  const Sevens sevens(100'000);
  const InputFile file(sevens.path());
  for (const std::size_t offset : {0, 1, 4095, 4096, 50'000, 99'999}) {
    for (const std::size_t bytes : {1, 100, 5000, 50'000}) {
      if (offset + bytes > 100'000) continue;
      const auto view = FileView::open(file, offset, bytes);
      if (!view) GTEST_SKIP() << "this system cannot";
      ASSERT_EQ(view->bytes().size(), bytes);
      expect_sevens(view->bytes(), offset);
    }
  }
}

TEST(FileView, MovesWithoutItsBytes) {
  const Sevens sevens(10'000);
  const InputFile file(sevens.path());
  auto first = FileView::open(file, 10, 100);
  if (!first) GTEST_SKIP() << "this system cannot";
  auto second = FileView::open(file, 5000, 100);
  first = std::move(second);
  second.reset();
  expect_sevens(first->bytes(), 5000);
}

TEST(FileView, IsNothingWhereTheFileHasEnded) {
  const Sevens sevens(10'000);
  const InputFile file(sevens.path());
  EXPECT_FALSE(FileView::open(file, 0, 40'000));
  EXPECT_FALSE(FileView::open(file, 40'000, 10));
}

TEST(FileViewDeath, OfWhatIsCutOffLaterIsOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Sevens sevens(100'000);
  const InputFile file(sevens.path());
  if (!FileView::open(file, 0, 1)) GTEST_SKIP() << "this system cannot";
  const auto look = [&] {
    const auto view = FileView::open(file, 0, 100'000);
    std::filesystem::resize_file(sevens.path(), 0);
    std::exit(static_cast<char>(view->bytes().back()) == 0 ? 0 : 1);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(4), "tessera: .*: was cut off while it was read");
}

}  // namespace
}  // namespace tessera::base
