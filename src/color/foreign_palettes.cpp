#include "color/foreign_palettes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/foreign_text.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace tessera::color {
namespace {

struct PaletteSource {
  std::string_view text;
  const std::string& path;
  const std::string& entry;

  [[noreturn]] void refuse(const std::string& why) const {
    throw base::usage_error("{}: {}", path, why);
  }
};

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

Rgb between(const Rgb& one, const Rgb& other, double part) {
  const auto mix = [&](std::uint8_t a, std::uint8_t b) { return byte_of(a + part * (b - a)); };
  return {mix(one.r, other.r), mix(one.g, other.g), mix(one.b, other.b)};
}

/// "Colors: 0,0,0,64,32,16," and so on.
std::string_view value_of_line(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key)) return base::trim(line.substr(key.size()));
    at = end + 1;
  }
  return {};
}

/// Triples of blue, green, red.
std::vector<Rgb> colors_of_kfr(const PaletteSource& source, std::string_view list) {
  std::vector<std::uint8_t> bytes;
  for (const std::string& part : base::split(list, ',')) {
    if (part.empty()) continue;
    const auto value = base::read_integer(part);
    if (!value || *value < 0 || *value > 255) source.refuse("its Colors have '" + part + "'");
    bytes.push_back(static_cast<std::uint8_t>(*value));
  }
  std::vector<Rgb> colors;
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
    colors.push_back({bytes[i + 2], bytes[i + 1], bytes[i]});
  }
  return colors;
}

bool is_kfr(std::string_view text) {
  return !value_of_line(text, "Colors: ").empty();
}

Palette read_kfr(const PaletteSource& source) {
  Palette palette;
  palette.stops = colors_of_kfr(source, value_of_line(source.text, "Colors: "));
  const auto inside = colors_of_kfr(source, value_of_line(source.text, "InteriorColor: "));
  if (!inside.empty()) palette.inside = inside[0];
  return palette;
}

bool is_ultra_fractal_gradient(std::string_view text) {
  return text.find("gradient:") != text.npos && text.find("index=") != text.npos;
}

/// Without what is in quotes: a title may have any words and signs. A quote ends with its line.
std::string without_titles(std::string_view text) {
  std::string rest;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '\n' && !text.substr(0, at).ends_with('\\')) quoted = false;
    if (!quoted) rest += text[at];
  }
  return rest;
}

/// The entry "name { ... }" that is asked for, in letters of any case, or the only one.
std::string_view entry_of_gradients(const PaletteSource& source) {
  std::vector<std::string> names;
  std::string_view found;
  std::size_t end = 0;
  for (std::size_t open = source.text.find('{'); open != source.text.npos;
       open = source.text.find('{', end)) {
    std::string_view name = base::trim(source.text.substr(end, open - end));
    name = base::trim(name.substr(name.rfind('\n') + 1));
    end = std::min(source.text.find('}', open), source.text.size() - 1) + 1;
    // Comments have the form of entries.
    if (source.text.substr(open, end - open).find("gradient:") == source.text.npos) continue;
    names.emplace_back(name);
    if (source.entry.empty() || base::lower(name) == base::lower(source.entry)) {
      found = source.text.substr(open, end - open);
    }
  }
  const bool one = source.entry.empty() ? names.size() <= 1 : !found.empty();
  if (one) return found.empty() ? source.text : found;
  source.refuse(
      fmt::format("has several palettes; name one as {}:NAME: {}", source.path, base::join(names)));
}

struct ColorPoint {
  std::int64_t index = 0;
  Rgb color;
};

/// The numbers behind `key` in a text, in order.
std::int64_t number_behind(const PaletteSource& source, std::string_view text,
                           std::string_view key) {
  const std::string_view word = text.substr(key.size());
  const auto value = base::read_integer(word.substr(0, word.find_first_of(" \t\r\n}")));
  if (!value) source.refuse(fmt::format("a gradient has no number behind {}", key));
  return *value;
}

/// At a place that lies between the first and the last of them.
Rgb color_between(const std::vector<ColorPoint>& points, std::int64_t place) {
  const auto to = std::ranges::lower_bound(points, place, {}, &ColorPoint::index);
  if (to->index == place) return to->color;
  const auto from = to - 1;
  return between(
      from->color, to->color,
      static_cast<double>(place - from->index) / static_cast<double>(to->index - from->index));
}

/// 400 places of a cycle; color = blue * 65536 + green * 256 + red.
Palette read_ultra_fractal_gradient(const PaletteSource& given) {
  constexpr std::int64_t kPlaces = 400;
  const std::string untitled = without_titles(given.text);
  const PaletteSource source{untitled, given.path, given.entry};
  std::string_view text = entry_of_gradients(source);
  text = text.substr(text.find("gradient:"));
  text = text.substr(0, text.find("opacity:"));
  std::vector<ColorPoint> points;
  std::int64_t rotation = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("rotation=")) rotation = number_behind(source, rest, "rotation=");
    if (rest.starts_with("index=")) points.push_back({number_behind(source, rest, "index="), {}});
    if (!rest.starts_with("color=") || points.empty()) continue;
    const std::int64_t color = number_behind(source, rest, "color=");
    points.back().color = {static_cast<std::uint8_t>(color & 255),
                           static_cast<std::uint8_t>(color >> 8 & 255),
                           static_cast<std::uint8_t>(color >> 16 & 255)};
  }
  if (points.empty()) source.refuse("a gradient has no index=");
  for (ColorPoint& point : points) {
    point.index = ((point.index + rotation) % kPlaces + kPlaces) % kPlaces;
  }
  std::ranges::stable_sort(points, {}, &ColorPoint::index);
  const ColorPoint first = points.front();
  const ColorPoint last = points.back();
  points.insert(points.begin(), {last.index - kPlaces, last.color});
  points.push_back({first.index + kPlaces, first.color});
  Palette palette;
  for (std::int64_t place = 0; place < kPlaces; ++place) {
    palette.stops.push_back(color_between(points, place));
  }
  return palette;
}

bool is_gimp_gradient(std::string_view text) {
  return text.starts_with("GIMP Gradient");
}

/// A segment of a .ggr: left, middle, right; two colours; how they blend.
struct Segment {
  double left = 0, middle = 0, right = 0;
  std::array<double, 8> colors{};
  int blend = 0;
};

/// 0 to 1 within a segment, as GIMP has it (app/core/gimpgradient.c).
double blended(const Segment& segment, double place) {
  constexpr double kSmallest = 1e-10;
  const double length = segment.right - segment.left;
  const double middle = length < kSmallest ? 0.5 : (segment.middle - segment.left) / length;
  const double at = length < kSmallest ? 0.5 : (place - segment.left) / length;
  const double linear =
      at <= middle ? (middle < kSmallest ? 0.0 : 0.5 * at / middle)
                   : (1 - middle < kSmallest ? 1.0 : 0.5 + 0.5 * (at - middle) / (1 - middle));
  switch (segment.blend) {
    case 1:
      return std::pow(at, std::log(0.5) / std::log(std::max(middle, kSmallest)));
    case 2:
      return (std::sin(std::numbers::pi * (linear - 0.5)) + 1) / 2;
    case 3:
      return std::sqrt(1 - (linear - 1) * (linear - 1));
    case 4:
      return 1 - std::sqrt(1 - linear * linear);
    default:
      return linear;
  }
}

Segment segment_of(const PaletteSource& source, const std::string& line) {
  std::vector<double> numbers;
  for (const std::string& word : base::split(line, ' ')) {
    const auto value = base::read_real(word);
    if (word.empty()) continue;
    if (!value) source.refuse("a gradient has the line '" + line + "'");
    numbers.push_back(*value);
  }
  if (!std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); })) {
    source.refuse("a gradient has the line '" + line + "'");
  }
  constexpr std::size_t kNumbers = 13;
  if (numbers.size() < kNumbers) source.refuse("a gradient has a line of too few numbers");
  if (numbers[12] != 0) source.refuse("a gradient blends by hue, which is not read; only by RGB");
  if (std::any_of(numbers.begin() + kNumbers, numbers.end(), [](double n) { return n != 0; })) {
    source.refuse("a gradient has ends of the colours in use, not of its own");
  }
  if (numbers[11] < 0 || numbers[11] > 4) source.refuse("a gradient has an unknown kind of blend");
  Segment segment{numbers[0], numbers[1], numbers[2], {}, static_cast<int>(numbers[11])};
  std::copy_n(numbers.begin() + 3, 8, segment.colors.begin());
  return segment;
}

Palette read_gimp_gradient(const PaletteSource& source) {
  constexpr int kStops = 256;
  const std::vector<std::string> lines = base::split(source.text, '\n');
  std::vector<Segment> segments;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool numbers = lines[i].find(' ') != std::string::npos && !lines[i].starts_with("Name:");
    if (numbers) segments.push_back(segment_of(source, lines[i]));
  }
  if (segments.empty()) source.refuse("a gradient has no segment");
  Palette palette;
  for (int i = 0; i < kStops; ++i) {
    const double place = (i + 0.5) / kStops;
    const auto found = std::ranges::find_if(
        segments, [&](const Segment& segment) { return place <= segment.right; });
    const Segment& segment = found == segments.end() ? segments.back() : *found;
    const double part = blended(segment, place);
    const auto channel = [&](std::size_t k) {
      const double from = segment.colors[k];
      return byte_of(255 * (from + part * (segment.colors[k + 4] - from)));
    };
    palette.stops.push_back({channel(0), channel(1), channel(2)});
  }
  return palette;
}

struct PaletteFormat {
  std::string_view description;
  bool (*is)(std::string_view text);
  Palette (*read)(const PaletteSource& source);
};

constexpr std::array kPaletteFormats = std::to_array<PaletteFormat>({
    {"of Kalles Fraktaler", is_kfr, read_kfr},
    {"a gradient of Ultra Fractal", is_ultra_fractal_gradient, read_ultra_fractal_gradient},
    {"a gradient of GIMP", is_gimp_gradient, read_gimp_gradient},
});

}  // namespace

std::optional<Palette> parse_foreign_palette(std::string_view text, const std::string& path,
                                             const std::string& entry) {
  const auto* const found = std::ranges::find_if(
      kPaletteFormats, [&](const PaletteFormat& format) { return format.is(text); });
  if (found == kPaletteFormats.end()) return std::nullopt;
  Palette palette = found->read({text, path, entry});
  palette.name = path;
  palette.description = found->description;
  if (palette.stops.size() >= 2) return palette;
  throw base::usage_error("{}: a palette needs two colours or more, this one has {}", path,
                          palette.stops.size());
}

}  // namespace tessera::color
