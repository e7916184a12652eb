// A picture in the terminal: half blocks, two pixels a character, or sixel.
#pragma once

#include <string>
#include <string_view>

#include "store/png/decode_png.hpp"

namespace tessera::command {

enum class PictureWay { true_color_blocks, blocks_of_256_colors, sixel };

struct TerminalCanvas {
  PictureWay way = PictureWay::true_color_blocks;
  int width_px = 0;
  int height_px = 0;
};

/// "auto", "blocks" or "sixel".
bool is_picture_way(std::string_view how);
/// Throws a usage error for an unknown way.
void check_picture_way(const std::string& how);

/// The canvas of the terminal at standard output. `how`: "blocks", "sixel", or "auto". "auto"
/// queries the terminal for sixel.
TerminalCanvas canvas_for(const std::string& how);

/// The characters that draw the picture. It must fit the canvas.
std::string drawn(const store::PngPixels& picture, const TerminalCanvas& canvas);

}  // namespace tessera::command
