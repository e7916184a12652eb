#include "store/png/png_file.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

std::uint8_t sample_byte(std::size_t row, std::size_t i) {
  return static_cast<std::uint8_t>(row * 7 + i * i);
}

/// The image as one zlib stream of unfiltered rows, cut into pieces of `piece` bytes.
std::vector<std::vector<std::byte>> stream_pieces(base::ImageSize size, std::size_t piece) {
  std::vector<Bytef> rows;
  for (std::size_t row = 0; row < static_cast<std::size_t>(size.height); ++row) {
    rows.push_back(0);  // filter: none
    for (std::size_t i = 0; i < static_cast<std::size_t>(size.width) * 3; ++i) {
      rows.push_back(sample_byte(row, i));
    }
  }
  uLongf bytes = compressBound(rows.size());
  std::vector<std::byte> all(bytes);
  compress2(reinterpret_cast<Bytef*>(all.data()), &bytes, rows.data(), rows.size(), 6);
  all.resize(bytes);
  std::vector<std::vector<std::byte>> pieces;
  for (std::size_t at = 0; at < all.size(); at += piece) {
    pieces.emplace_back(all.begin() + at, all.begin() + std::min(at + piece, all.size()));
  }
  return pieces;
}

void write_png(const std::string& path, base::ImageSize size,
               const std::vector<std::pair<std::string, std::string>>& text) {
  PngWriter writer({path}, {.size_px = size}, text);
  for (const auto& piece : stream_pieces(size, 100)) writer.write_stream(piece);
  writer.finish();
}

/// Header and text chunks, read by libpng.
class PngInfo {
 public:
  explicit PngInfo(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    info_ = png_create_info_struct(png_);
    png_set_user_limits(png_, 0x7FFFFFFF, 0x7FFFFFFF);
    png_init_io(png_, file_);
    png_read_info(png_, info_);
  }
  ~PngInfo() {
    png_destroy_read_struct(&png_, &info_, nullptr);
    std::fclose(file_);
  }
  PngInfo(const PngInfo&) = delete;
  PngInfo& operator=(const PngInfo&) = delete;

  bool srgb() const { return png_get_valid(png_, info_, PNG_INFO_sRGB) != 0; }
  std::uint32_t width() const { return png_get_image_width(png_, info_); }
  std::string text(const std::string& key) const {
    png_textp entries = nullptr;
    const int n = png_get_text(png_, info_, &entries, nullptr);
    for (int i = 0; i < n; ++i) {
      if (key == entries[i].key) return entries[i].text;
    }
    return "";
  }

 private:
  std::FILE* file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

TEST(PngFile, many_pieces_are_one_image_for_libpng) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  const base::ImageSize size{61, 47};
  write_png(path, size, {{"Software", "Tessera"}, {"Comment", "größer"}});
  EXPECT_EQ(folder.files(), 1);

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  ASSERT_EQ(image.width, 61U);
  ASSERT_EQ(image.height, 47U);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    ASSERT_EQ(pixels[i], sample_byte(i / (61 * 3), i % (61 * 3))) << i;
  }
}

TEST(PngFile, carries_srgb_and_text) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  write_png(path, {4, 4}, {{"Software", "Tessera"}, {"Comment", "größer"}});
  const PngInfo info(path);
  EXPECT_TRUE(info.srgb());
  EXPECT_EQ(info.text("Software"), "Tessera");
  EXPECT_EQ(info.text("Comment"), "größer");
}

TEST(PngFile, pngcheck_finds_no_fault) {
  if (std::system("command -v pngcheck >/dev/null 2>&1") != 0) GTEST_SKIP() << "no pngcheck";
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  write_png(path, {61, 47}, {{"Software", "Tessera"}});
  EXPECT_EQ(std::system(("pngcheck -q '" + path + "'").c_str()), 0);
}

TEST(PngFile, sides_beyond_a_million_are_written) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  write_png(path, {1'200'000, 1}, {});
  EXPECT_EQ(PngInfo(path).width(), 1'200'000U);
}

TEST(PngFile, unfinished_leaves_nothing) {
  const ScratchFolder folder;
  {
    PngWriter writer({folder.file("a.png")}, {{4, 4}}, {});
    EXPECT_EQ(folder.files(), 1);
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(PngFile, sizes_that_png_cannot_say_are_usage_errors) {
  const ScratchFolder folder;
  for (const base::ImageSize size :
       {base::ImageSize{0, 4}, {4, -1}, {std::int64_t{1} << 31, 4}, {4, std::int64_t{1} << 40}}) {
    try {
      const PngWriter writer({folder.file("a.png")}, {.size_px = size}, {});
      ADD_FAILURE() << "no error";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::usage);
    }
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(PngFile, a_file_in_place_of_the_folder_is_a_run_error) {
  const ScratchFolder folder;
  std::ofstream(folder.file("no")) << "a file";
  EXPECT_THROW(PngWriter({folder.file("no/a.png")}, {{4, 4}}, {}), base::Error);
}

}  // namespace
}  // namespace tessera::store
