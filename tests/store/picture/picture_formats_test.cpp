#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/picture/picture_format.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

std::unique_ptr<PictureWriter> started(const std::string& path, base::ImageSize size_px) {
  return picture_format_of(path).create({path}, {.size_px = size_px, .values = ValueChannels{}},
                                        {});
}

void expect_usage_error(const std::string& path, base::ImageSize size_px) {
  try {
    started(path, size_px);
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
  }
}

TEST(PictureFormats, sizes_that_exr_cannot_say_are_usage_errors) {
  const ScratchFolder folder;
  expect_usage_error(folder.file("a.exr"), {std::int64_t{1} << 31, 1});
  expect_usage_error(folder.file("a.exr"), {1, std::int64_t{1} << 31});
  EXPECT_EQ(folder.files(), 0);
}

TEST(PictureFormats, sizes_that_tiff_cannot_say_are_usage_errors) {
  const ScratchFolder folder;
  expect_usage_error(folder.file("a.tif"), {std::int64_t{1} << 32, 1});
  expect_usage_error(folder.file("a.tif"), {1, std::int64_t{1} << 32});
  EXPECT_EQ(folder.files(), 0);
}

TEST(PictureFormats, pictures_beyond_4_GB_are_big_tiffs) {
  const ScratchFolder folder;
  const auto version_of = [&](base::ImageSize size_px) {
    const auto writer = started(folder.file("a.tif"), size_px);
    return contents(folder.file("a.tif.part")).at(2);
  };
  EXPECT_EQ(version_of({40'000, 33'333}), 42);
  EXPECT_EQ(version_of({40'000, 33'334}), 43);
}

TEST(PictureFormats, an_unfinished_picture_is_removed) {
  const ScratchFolder folder;
  for (const char* const name : {"a.exr", "a.tif"}) {
    const auto writer = started(folder.file(name), {4, 12});
    EXPECT_EQ(folder.files(), 1);
    writer->put(std::vector<std::byte>(120));
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(PictureFormats, letters_of_a_suffix_are_of_any_case) {
  EXPECT_EQ(picture_format_of("A.TIF").name, "TIFF");
  EXPECT_EQ(picture_format_of("a.Exr").name, "EXR");
  EXPECT_EQ(picture_format_of("a.tiff.PNG").name, "PNG");
  EXPECT_EQ(picture_format_of("-").name, "PNG");
}

}  // namespace
}  // namespace tessera::store
