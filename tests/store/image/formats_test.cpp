#include "store/image/formats.hpp"

#include <gtest/gtest.h>

namespace tessera::store {
namespace {

TEST(ImageFormats, are_chosen_by_the_suffix_of_the_finished_file) {
  for (const ImageFormat& format : image_formats()) {
    for (const std::string_view suffix : format.suffixes) {
      const std::string path = "folder.h5/image" + std::string(suffix);
      EXPECT_EQ(format_of(path).name, format.name) << path;
      EXPECT_EQ(format_of(path + ".part").name, format.name) << path;
    }
  }
}

TEST(ImageFormats, any_other_suffix_means_the_first_format) {
  for (const char* path : {"image", "image.part", "image.tif", ".part", ""}) {
    EXPECT_EQ(format_of(path).name, image_formats().front().name) << path;
  }
}

}  // namespace
}  // namespace tessera::store
