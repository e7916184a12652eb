// Images through the public headers.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tessera/image.hpp"

namespace {

using tessera::Context;
using tessera::Field;
using tessera::ImageSpec;

const ImageSpec kImage(
    {{"view", "seahorse"}, {"size", "200x120"}, {"tile", "64"}, {"fields", "iterations,smooth"}});

struct Values {
  std::vector<std::uint16_t> counts = std::vector<std::uint16_t>(200 * 120);
  std::vector<float> smooth = std::vector<float>(200 * 120);
  friend bool operator==(const Values&, const Values&) = default;
};

Values in_memory(Context& context) {
  Values values;
  const tessera::FieldMemory fields[] = {
      {Field::iterations, values.counts.data(), 200 * sizeof(std::uint16_t)},
      {Field::smooth, values.smooth.data(), 200 * sizeof(float)}};
  render(context, kImage, fields);
  return values;
}

class Gatherer : public tessera::ImageSink {
 public:
  Values values;
  int begun = 0, ended = 0;

  void begin(const ImageSpec& image) override {
    EXPECT_EQ(image.width_px(), 200);
    ++begun;
  }
  void tile(const tessera::Tile& tile) override {
    const bool counts = tile.field == Field::iterations;
    auto* const to = counts ? reinterpret_cast<std::byte*>(values.counts.data())
                            : reinterpret_cast<std::byte*>(values.smooth.data());
    const std::int64_t element = counts ? 2 : 4;
    for (std::int64_t y = 0; y < tile.height; ++y) {
      std::memcpy(to + ((tile.y + y) * 200 + tile.x) * element,
                  tile.values + static_cast<std::size_t>(y) * tile.stride_bytes,
                  static_cast<std::size_t>(tile.width * element));
    }
  }
  void end() override { ++ended; }
};

TEST(ApiRender, tiles_have_the_values_of_the_memory) {
  Context context({.device = "cpu"});
  Gatherer gatherer;
  const tessera::Report report = render(context, kImage, gatherer);
  EXPECT_EQ(gatherer.begun, 1);
  EXPECT_EQ(gatherer.ended, 1);
  EXPECT_TRUE(gatherer.values == in_memory(context));
  EXPECT_NE(report.find("\"command\""), std::string::npos);
}

TEST(ApiRender, the_place_of_an_image_makes_it_again) {
  const ImageSpec again(kImage.place());
  EXPECT_EQ(again.place(), kImage.place());
  EXPECT_EQ(again.fields(), kImage.fields());
  EXPECT_EQ(again.type(Field::iterations), tessera::Type::u16);
}

TEST(ApiRender, a_file_tells_how_to_make_its_image) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tessera-api-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  Context context({.device = "cpu"});
  tessera::Options options = kImage.place();
  options.emplace_back("output", folder / "image.h5");
  render(context, ImageSpec(options));
  EXPECT_TRUE(std::filesystem::exists(folder / "image.h5"));
  EXPECT_EQ(ImageSpec(tessera::options_of_image(folder / "image.h5")).place(), kImage.place());
  EXPECT_THROW(tessera::options_of_image(folder / "none.h5"), tessera::Error);
  std::filesystem::remove_all(folder);
}

TEST(ApiRender, options_of_files_are_refused_in_memory) {
  Context context({.device = "cpu"});
  for (const auto& [name, value] : {std::pair("png", "a.png"),
                                    {"output", "a.h5"},
                                    {"frames", "3"},
                                    {"writers", "2"},
                                    {"supersample", "2"},
                                    {"report", "a.json"},
                                    {"equalize", "true"},
                                    {"overwrite", "true"}}) {
    tessera::Options options = kImage.place();
    if (std::string_view(name) == "frames") options.emplace_back("output", "a.h5");
    options.emplace_back(name, value);
    Gatherer gatherer;
    EXPECT_THROW(render(context, ImageSpec(options), gatherer), tessera::Error) << name;
    EXPECT_EQ(gatherer.begun, 0) << name;
  }
  EXPECT_THROW(ImageSpec({{"region", "0,0,5,5"}}), tessera::Error);
}

TEST(ApiRender, memory_that_lacks_a_field_is_refused) {
  Context context({.device = "cpu"});
  Values values;
  const tessera::FieldMemory counts{Field::iterations, values.counts.data(), 400};
  EXPECT_THROW(render(context, kImage, {&counts, 1}), tessera::Error);
}

}  // namespace
