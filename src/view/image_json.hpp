// Facts about an image for the page, as JSON.
#pragma once

#include "report/json_parts.hpp"
#include "view/image_list.hpp"
#include "view/look.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {

/// A hash as a number below 2^53, which JavaScript holds exactly.
constexpr std::uint64_t json_version(std::uint64_t hash) {
  return hash & ((std::uint64_t{1} << 53) - 1);
}

/// A row of the list of images.
report::Json image_json(const ListedImage& listed);

/// The same with all attributes of the file.
report::Json whole_image_json(const ListedImage& listed);

/// The tiles of the file. Beyond 256 columns or rows, each cell stands for several tiles.
report::Json map_json(const OpenImage& image);

/// The pixel in column `x` of row `y`.
report::Json pixel_json(const OpenImage& image, std::int64_t x, std::int64_t y, TileImages& values);

/// The initial colours of the page.
report::Json look_json(const job::Coloring& look, const PaletteFiles& files);

report::Json palettes_json(const PaletteFiles& files);

}  // namespace tessera::view
