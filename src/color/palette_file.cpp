#include "color/palette_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/foreign_text.hpp"
#include "base/text.hpp"
#include "color/foreign_palettes.hpp"

namespace tessera::color {
namespace {

/// Takes a number off the front of `text`; nothing if there is none up to 256 that is followed by a
/// blank, a comma or the end. Some .map files have 256 for 255.
std::optional<std::uint8_t> take_byte(std::string_view& text) {
  text = base::trim(text);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > 256) return std::nullopt;
  const auto value = static_cast<std::uint8_t>(std::min(number, 255U));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return value;
  if (text[0] != ' ' && text[0] != '\t' && text[0] != ',') return std::nullopt;
  text = base::trim(text);
  if (text.starts_with(',')) text.remove_prefix(1);
  return value;
}

std::optional<Rgb> parse_hex(std::string_view digits) {
  // As in CSS, #abc is #aabbcc.
  if (digits.size() == 3) {
    std::string twice;
    for (const char digit : digits) twice += {digit, digit};
    return parse_hex(twice);
  }
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool whole = end == digits.data() + digits.size() && digits.size() == 6;
  if (!whole || error != std::errc()) return std::nullopt;
  return Rgb{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
             static_cast<std::uint8_t>(value)};
}

/// "R G B", "#rrggbb" or "#rgb", which a name may follow as in GIMP's and Fractint's files.
std::optional<Rgb> find_color(std::string_view text) {
  text = base::trim(text);
  if (text.starts_with('#')) return parse_hex(text.substr(1, text.find_first_of(" \t") - 1));
  const auto r = take_byte(text);
  const auto g = r ? take_byte(text) : std::nullopt;
  const auto b = g ? take_byte(text) : std::nullopt;
  if (!b) return std::nullopt;
  return Rgb{*r, *g, *b};
}

bool is_comment(std::string_view line) {
  if (line.empty() || line[0] == ';') return true;
  return line[0] == '#' && (line.size() == 1 || line[1] == ' ' || line[1] == '\t');
}

bool is_gimp_header(std::string_view line) {
  return line == "GIMP Palette" || line.starts_with("Name:") || line.starts_with("Columns:");
}

}  // namespace

Rgb parse_color(std::string_view text, const std::string& what) {
  if (const auto color = find_color(text)) return *color;
  throw base::usage_error(
      "{}: '{}' is not a colour: write \"R,G,B\" with numbers from 0 to 255, or \"#rrggbb\"", what,
      text);
}

Palette parse_palette(std::istream& file, const std::string& path, const std::string& entry) {
  constexpr std::string_view kInside = "inside";
  constexpr std::size_t kMapColors = 256;
  std::stringstream bytes;
  bytes << file.rdbuf();
  std::istringstream text{std::string(base::without_bom(bytes.view()))};
  if (auto palette = parse_foreign_palette(text.view(), path, entry)) return *std::move(palette);
  Palette palette{path, "from a file", {}, {}};
  std::string whole_line;
  for (int number = 1; std::getline(text, whole_line); ++number) {
    std::string_view line = base::trim(whole_line);
    if (is_comment(line) || is_gimp_header(line)) continue;
    const bool inside = line.starts_with(kInside);
    // Remarks behind the colours of a .map.
    if (!inside && palette.stops.size() >= kMapColors && !find_color(line)) break;
    const Rgb color = parse_color(inside ? line.substr(kInside.size()) : line,
                                  fmt::format("{}:{}", path, number));
    if (inside) {
      palette.inside = color;
    } else {
      palette.stops.push_back(color);
    }
  }
  if (palette.stops.size() < 2) {
    throw base::usage_error("{}: a palette needs two colours or more, this one has {}", path,
                            palette.stops.size());
  }
  return palette;
}

Palette read_palette(const std::string& path) {
  std::ifstream file(base::home_path(path));
  if (file) return parse_palette(file, path);
  const std::size_t colon = path.rfind(':');
  std::ifstream several(colon == path.npos ? "" : base::home_path(path.substr(0, colon)));
  if (!several) throw base::missing_error("{}: palette file cannot be opened", path);
  return parse_palette(several, path.substr(0, colon), path.substr(colon + 1));
}

}  // namespace tessera::color
