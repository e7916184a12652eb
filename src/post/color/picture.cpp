#include "post/color/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "color/palette_file.hpp"
#include "job/image/fingerprint.hpp"

namespace tessera::post {
namespace {

constexpr const char* kSoftwareKey = "Software";
constexpr const char* kSoftware = "Tessera";
constexpr const char* kSourceKey = "Source";
constexpr const char* kMadeFromKey = "Made from";
/// To be increased when the same data and palette give different colours.
constexpr int kColoring = 2;

std::string data_of(const PictureOrigin& origin) {
  return fmt::format("data {}, ", origin.fingerprint);
}

std::string part_of(const PictureOrigin& origin) {
  const base::PixelRect& region = origin.region;
  return fmt::format(", region {},{},{},{}, scale 1/{}, ", region.x, region.y, region.width,
                     region.height, origin.scale);
}

/// The differences from the default way from values to colours.
std::string way_of(const PictureOrigin& origin) {
  const job::Coloring& coloring = origin.coloring;
  std::string text;
  if (coloring.palette_cycle > 0) text += fmt::format("cycle {}, ", coloring.palette_cycle);
  if (coloring.palette_offset != 0) text += fmt::format("offset {}, ", coloring.palette_offset);
  if (coloring.palette_scale.period > 0) {
    text += fmt::format("scale {} {}, ", static_cast<int>(coloring.palette_scale.kind),
                        coloring.palette_scale.period);
  }
  if (coloring.distance > 0) text += fmt::format("distance {}, ", coloring.distance);
  if (coloring.light) {
    text += fmt::format("light {} {}, ", coloring.light->azimuth_deg, coloring.light->height);
  }
  if (coloring.equalize) text += "equalized, ";
  if (coloring.png_depth != 8) text += fmt::format("depth {}, ", coloring.png_depth);
  return text + (origin.complete ? "" : "unfinished, ");
}

std::string describe(const PictureOrigin& origin) {
  return fmt::format("{}field {}, palette {}{}{}colouring {}", data_of(origin),
                     job::field_name(origin.field), hash_of(origin.palette), part_of(origin),
                     way_of(origin), kColoring);
}

}  // namespace

color::Palette palette_of(const job::Coloring& coloring) {
  color::Palette palette = color::find_palette(coloring.palette);
  if (!coloring.inside.empty()) palette.inside = color::parse_color(coloring.inside, "--inside");
  return palette;
}

std::string hash_of(const color::Palette& palette) {
  std::string bytes;
  const auto add = [&](const color::Rgb& color) {
    for (const std::uint8_t part : {color.r, color.g, color.b}) {
      bytes += static_cast<char>(part);
    }
  };
  add(palette.inside);
  for (const color::Rgb& stop : palette.stops) add(stop);
  return fmt::format("{:016x}", base::fnv1a(bytes));
}

PictureOrigin origin_of(const job::RenderJob& job) {
  return {.fingerprint = job::fingerprint(job),
          .field = job::colored_field(job.fields),
          .palette = palette_of(job),
          .coloring = job,
          .region = {0, 0, job.image.size_px.width, job.image.size_px.height},
          .scale = job.supersample};
}

store::PictureTexts picture_text(const PictureOrigin& origin, const std::string& source) {
  store::PictureTexts texts = {{kSoftwareKey, kSoftware}, {kMadeFromKey, describe(origin)}};
  if (!source.empty()) texts.emplace_back(kSourceKey, source);
  return texts;
}

FoundPicture compare(const store::PictureOnDisk& picture, const job::RenderJob& job) {
  if (!picture.exists) return FoundPicture::none;
  return compare(picture, origin_of(job), job.picture_only ? "" : job.output);
}

FoundPicture compare(const store::PictureOnDisk& picture, const PictureOrigin& origin,
                     const std::string& source) {
  if (!picture.exists) return FoundPicture::none;
  const base::ImageSize size_px{origin.region.width / origin.scale,
                                origin.region.height / origin.scale};
  // Other programs keep the texts of a picture that they crop or scale.
  if (picture.size_px != size_px) return FoundPicture::other;
  const auto text = [&](const char* key) {
    const auto found =
        std::ranges::find(picture.texts, key, &std::pair<std::string, std::string>::first);
    return found == picture.texts.end() ? "" : found->second;
  };
  if (text(kSoftwareKey) != kSoftware) return FoundPicture::other;
  const std::string made_from = text(kMadeFromKey);
  if (made_from == describe(origin)) return FoundPicture::right;
  if (made_from.find(part_of(origin)) == std::string::npos) return FoundPicture::other;
  const bool same_data = made_from.starts_with(data_of(origin));
  const bool same_source = !source.empty() && text(kSourceKey) == source;
  return same_data || same_source ? FoundPicture::ours : FoundPicture::other;
}

}  // namespace tessera::post
