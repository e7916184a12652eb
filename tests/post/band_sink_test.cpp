// Bands that arrive in any order that a schedule's window allows make one and the same file.
#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plan/schedule.hpp"
#include "post/color/band_work.hpp"

namespace tessera::post {
namespace {

constexpr base::ImageSize kSize{40, 30};
const store::PictureFormat& kFormat = store::picture_formats().front();

/// Whether libpng reads all pixels.
bool is_whole(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return false;
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  const bool whole = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  png_image_free(&image);
  return whole && image.warning_or_error == 0;
}

class BandSinkTest : public testing::Test {
 protected:
  BandSinkTest() { std::filesystem::create_directory(folder_); }
  ~BandSinkTest() override { std::filesystem::remove_all(folder_); }

  /// The rows of the picture, each a band. Encoded once: igzip may give one row two encodings.
  static std::vector<base::Bytes> encode_rows() {
    std::vector<base::Bytes> rows;
    base::Bytes rgb(kSize.width * 3);
    const auto encoder = kFormat.make_encoder();
    for (std::int64_t row = 0; row < kSize.height; ++row) {
      for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::byte>(i * row);
      rows.push_back(encoder->encode(rgb, kSize.width, 3));
    }
    return rows;
  }

  /// The file's bytes after the bands came as `window` and the dice allow.
  std::string file_of(std::int64_t window, unsigned seed) {
    std::mt19937 dice(seed);
    const std::string path = folder_ / "a.png";
    const auto picture =
        kFormat.create({path, base::Replace::what_is_there}, {.size_px = kSize}, {});
    BandSink sink(*picture);
    plan::Schedule schedule(std::vector<float>(kSize.height, 1.0F), 3, plan::Order::given, window);
    std::set<std::int64_t> under_way;
    while (!schedule.complete()) {
      const auto items = schedule.take(schedule.share_of(1));
      under_way.insert(items.begin(), items.end());
      if (under_way.empty()) {
        ADD_FAILURE() << "nothing under way, nothing handed out: window " << window;
        return "";
      }
      const auto next = std::next(under_way.begin(), dice() % under_way.size());
      EXPECT_LT(*next - schedule.finished(), window);
      sink.put({.item = *next, .body = rows_[static_cast<std::size_t>(*next)]});
      schedule.finish(*next);
      under_way.erase(next);
    }
    picture->finish();
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::vector<base::Bytes> rows_ = encode_rows();
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tessera png sink " + std::to_string(::getpid()));
};

TEST_F(BandSinkTest, bands_in_any_order_make_the_same_file_and_no_window_is_too_small) {
  const std::string in_order = file_of(1, 0);
  ASSERT_TRUE(is_whole(in_order));
  for (const std::int64_t window : {1, 2, 3, 10, 1000}) {
    for (unsigned seed = 0; seed < 20; ++seed) EXPECT_EQ(file_of(window, seed), in_order);
  }
}

}  // namespace
}  // namespace tessera::post
