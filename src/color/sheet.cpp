#include "color/sheet.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera::color {
namespace {

constexpr std::int64_t kStripWidth = 960;
constexpr std::int64_t kStripHeight = 56;
constexpr std::int64_t kInsideWidth = 80;
constexpr std::int64_t kLabelHeight = 32;
constexpr std::int64_t kDot = 4;  ///< side of a dot of a letter
constexpr std::int64_t kMargin = 6;

constexpr Rgb kPaper{250, 250, 250};
constexpr Rgb kInk{30, 30, 30};

/// Letters of 3 x 5 dots, a to z: rows from the top, three bits each.
constexpr std::array<std::uint16_t, 26> kLetters = {
    025757, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
    011152, 055655, 044447, 057755, 065555, 025552, 065644, 025563, 065655,
    034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};
constexpr std::uint16_t kDash = 000700;

std::uint16_t glyph(char c) {
  if (c >= 'a' && c <= 'z') return kLetters[static_cast<std::size_t>(c - 'a')];
  if (c >= 'A' && c <= 'Z') return kLetters[static_cast<std::size_t>(c - 'A')];
  return c == ' ' ? 0 : kDash;
}

class Canvas {
 public:
  explicit Canvas(base::ImageSize size_px) {
    sheet_.size_px = size_px;
    sheet_.rgb.resize(static_cast<std::size_t>(size_px.pixels()) * 3);
  }

  void fill(base::PixelRect rect, Rgb color) {
    for (std::int64_t y = rect.y; y < rect.y + rect.height; ++y) {
      for (std::int64_t x = rect.x; x < rect.x + rect.width; ++x) set(x, y, color);
    }
  }

  void write(std::int64_t x, std::int64_t y, std::string_view text) {
    for (const char c : text) {
      const std::uint16_t dots = glyph(c);
      for (int i = 0; i < 15; ++i) {
        if ((dots >> (14 - i) & 1) != 0) {
          fill({x + i % 3 * kDot, y + i / 3 * kDot, kDot, kDot}, kInk);
        }
      }
      x += 4 * kDot;
    }
  }

  Sheet take() { return std::move(sheet_); }

 private:
  void set(std::int64_t x, std::int64_t y, Rgb color) {
    if (x >= sheet_.size_px.width) return;
    std::byte* const to =
        sheet_.rgb.data() + static_cast<std::size_t>(y * sheet_.size_px.width + x) * 3;
    to[0] = std::byte{color.r};
    to[1] = std::byte{color.g};
    to[2] = std::byte{color.b};
  }

  Sheet sheet_;
};

}  // namespace

Sheet draw_sheet(std::span<const Palette> palettes) {
  constexpr std::int64_t kRowHeight = kLabelHeight + kStripHeight;
  const auto rows = static_cast<std::int64_t>(palettes.size());
  const base::ImageSize size{kStripWidth + kInsideWidth, rows * kRowHeight};
  Canvas canvas(size);
  canvas.fill({0, 0, size.width, size.height}, kPaper);
  std::int64_t y = 0;
  for (const Palette& palette : palettes) {
    canvas.write(kMargin, y + kMargin, palette.name);
    for (std::int64_t x = 0; x < kStripWidth; ++x) {
      const double phase = static_cast<double>(x) / static_cast<double>(kStripWidth);
      canvas.fill({x, y + kLabelHeight, 1, kStripHeight}, color_at(palette, phase));
    }
    canvas.fill({kStripWidth, y + kLabelHeight, kInsideWidth, kStripHeight}, palette.inside);
    y += kRowHeight;
  }
  return canvas.take();
}

}  // namespace tessera::color
