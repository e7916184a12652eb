// What people write in posts: lines or words of names and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "place/formats.hpp"
#include "place/loose_number.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::Real;

enum class Meaning { re, im, center, zoom, radius, width, height, iterations, bailout, power };

struct Word {
  std::string_view name;  ///< in lower case
  Meaning meaning;
};

/// The first name of a meaning is the one of messages.
constexpr std::array kWords = std::to_array<Word>({{"real part", Meaning::re},
                                                   {"real", Meaning::re},
                                                   {"center x", Meaning::re},
                                                   {"centre x", Meaning::re},
                                                   {"re", Meaning::re},
                                                   {"x", Meaning::re},
                                                   {"imaginary part", Meaning::im},
                                                   {"imaginary", Meaning::im},
                                                   {"imag", Meaning::im},
                                                   {"center y", Meaning::im},
                                                   {"centre y", Meaning::im},
                                                   {"im", Meaning::im},
                                                   {"y", Meaning::im},
                                                   {"center", Meaning::center},
                                                   {"centre", Meaning::center},
                                                   {"coordinates", Meaning::center},
                                                   {"location", Meaning::center},
                                                   {"c", Meaning::center},
                                                   {"zoom", Meaning::zoom},
                                                   {"zoom factor", Meaning::zoom},
                                                   {"zoom level", Meaning::zoom},
                                                   {"magnification", Meaning::zoom},
                                                   {"magn", Meaning::zoom},
                                                   {"mag", Meaning::zoom},
                                                   {"radius", Meaning::radius},
                                                   {"width", Meaning::width},
                                                   {"size", Meaning::width},
                                                   {"height", Meaning::height},
                                                   {"iterations", Meaning::iterations},
                                                   {"iteration", Meaning::iterations},
                                                   {"max iterations", Meaning::iterations},
                                                   {"maximum iterations", Meaning::iterations},
                                                   {"maxiter", Meaning::iterations},
                                                   {"iter", Meaning::iterations},
                                                   {"bailout", Meaning::bailout},
                                                   {"power", Meaning::power}});

std::string_view name_of(Meaning meaning) {
  return std::ranges::find(kWords, meaning, &Word::meaning)->name;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool begins_number(std::string_view text) {
  constexpr std::string_view kMinus = "\u2212";
  if (text.starts_with(kMinus)) return true;
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') || text.starts_with('.');
  return text.size() > sign && std::isdigit(static_cast<unsigned char>(text[sign])) != 0;
}

/// A name at `at` with a colon, an equals sign or a number behind it, or nothing. Sets `value` to
/// what follows.
std::optional<Meaning> name_at(std::string_view text, std::size_t at, std::size_t& value) {
  if (at > 0 && is_letter(text[at - 1])) return std::nullopt;
  for (const auto& [name, meaning] : kWords) {
    if (text.substr(at, name.size()) != name) continue;
    std::size_t end = text.find_first_not_of(" \t*`", at + name.size());
    // "Re(c)".
    if (end != text.npos && text.substr(end).starts_with("(c)")) end += 3;
    end = text.find_first_not_of(" \t*`", end);
    if (end == text.npos) continue;
    const bool marked = text[end] == ':' || text[end] == '=';
    // A single letter before a number may be anything.
    const bool bare = name.size() > 1 && end > at + name.size() && begins_number(text.substr(end));
    if (!marked && !bare) continue;
    value = marked ? end + 1 : end;
    return meaning;
  }
  return std::nullopt;
}

struct Numbers {
  std::map<Meaning, std::string> values;
  std::optional<base::ImageSize> size;  ///< "1280x720"

  std::string value(Meaning meaning) const {
    const auto found = values.find(meaning);
    return found == values.end() ? "" : found->second;
  }
};

/// "1280x720" or "1280 x 720".
std::optional<base::ImageSize> pixels_in(std::string_view text) {
  text = base::trim(text);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view rest = text.substr(digits);
  rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!rest.starts_with('x') && !rest.starts_with("\u00d7")) return std::nullopt;
  rest = rest.substr(std::min(rest.find_first_of(" 0123456789"), rest.size()));
  rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto width = base::read_integer(text.substr(0, digits));
  const auto height = base::read_integer(
      rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
  // "10 x 10^5" is a number.
  const bool power = rest.starts_with("10^");
  if (!width || !height || *width < 1 || *height < 1 || power) return std::nullopt;
  return base::ImageSize{*width, *height};
}

Numbers numbers_of(std::string_view text) {
  const std::string small = lower(text);
  Numbers numbers;
  std::size_t value = 0;
  for (std::size_t at = 0; at < small.size(); ++at) {
    const auto meaning = name_at(small, at, value);
    if (!meaning) continue;
    // Up to the next name.
    std::size_t end = value;
    std::size_t unused = 0;
    while (end < small.size() && !name_at(small, end, unused)) ++end;
    const std::string_view said = std::string_view(text).substr(value, end - value);
    if (*meaning == Meaning::center) {
      const LooseComplex center = loose_complex(said);
      if (center.re.empty() && center.im.empty()) continue;  // a heading
      numbers.values.emplace(Meaning::re, center.re);
      numbers.values.emplace(Meaning::im, center.im);
    } else if (const auto size = pixels_in(said)) {
      numbers.size = size;
    } else {
      numbers.values.emplace(*meaning, loose_number(said));
    }
    at = value - 1;
  }
  return numbers;
}

/// Names of formulas of others in a text, which would make it a picture of another set.
std::string other_formula(std::string_view text) {
  const std::string small = lower(text);
  for (const std::string_view name :
       {"celtic", "buffalo", "perpendicular", "julia", "hybrid", "phoenix", "newton", "nova",
        "magnet", "lambda", "mandelbar", "heart"}) {
    if (small.find(name) != small.npos) return std::string(name);
  }
  return "";
}

std::string formula_of(const Source& source, const Numbers& numbers) {
  if (const std::string other = other_formula(source.text); !other.empty()) {
    refuse(source, fmt::format("tells of '{}', another formula; give --formula, --center and "
                               "--width",
                               other));
  }
  const std::string small = lower(source.text);
  if (small.find("burning ship") != small.npos || small.find("burning-ship") != small.npos) {
    return "burning-ship";
  }
  if (small.find("tricorn") != small.npos) return "tricorn";
  const std::string power = numbers.value(Meaning::power);
  if (power.empty() || power == "2") return "mandelbrot";
  std::string formula = "multibrot:" + power;
  job::parse_formula(formula, source.name);
  return formula;
}

void set_size(const Numbers& numbers, Place& place) {
  place.width = numbers.value(Meaning::width);
  if (!place.width.empty()) return;
  place.height = numbers.value(Meaning::height);
  if (!place.height.empty()) return;
  if (const std::string radius = numbers.value(Meaning::radius); !radius.empty()) {
    place.height = plane::scaled(radius, "2", "1");
    place.notes.emplace_back("the radius is taken as half the height; --width says otherwise");
    return;
  }
  place.zoom = numbers.value(Meaning::zoom);
  place.height = plane::scaled("4", "1", place.zoom);
  place.notes.emplace_back("zoom 1 is taken to show a height of 4; --width says otherwise");
}

bool has_size(const Numbers& numbers) {
  constexpr std::array kSizes = {Meaning::zoom, Meaning::radius, Meaning::width, Meaning::height};
  return std::ranges::any_of(kSizes, [&](Meaning size) { return numbers.values.contains(size); });
}

}  // namespace

bool is_post(std::string_view text) {
  const Numbers numbers = numbers_of(text);
  return numbers.values.contains(Meaning::re) && numbers.values.contains(Meaning::im) &&
         has_size(numbers);
}

/// "Zoom 1e6, Width: 1920, Height: 1080": pixels beside a zoom. Refuses two sizes of the plane.
void take_pixels(const Source& source, Numbers& numbers) {
  const bool is_zoomed =
      numbers.values.contains(Meaning::zoom) || numbers.values.contains(Meaning::radius);
  const bool has_sides =
      numbers.values.contains(Meaning::width) || numbers.values.contains(Meaning::height);
  if (!is_zoomed || !has_sides) return;
  constexpr std::int64_t kLeastPixels = 16;
  const auto width = base::read_integer(numbers.value(Meaning::width));
  const auto height = base::read_integer(numbers.value(Meaning::height));
  if (!width || !height || std::min(*width, *height) < kLeastPixels) {
    refuse(source, "tells its size in two ways; give --center and --width");
  }
  numbers.size = base::ImageSize{*width, *height};
  numbers.values.erase(Meaning::width);
  numbers.values.erase(Meaning::height);
}

Place read_post(const Source& source) {
  Numbers numbers = numbers_of(source.text);
  take_pixels(source, numbers);
  for (const auto& [meaning, value] : numbers.values) {
    if (value.empty()) {
      refuse(source, fmt::format("its {} is not a number that is understood; give --center and "
                                 "--width",
                                 name_of(meaning)));
    }
  }
  Place place{.formula = formula_of(source, numbers),
              .center_re = numbers.value(Meaning::re),
              .center_im = numbers.value(Meaning::im),
              .bailout = numbers.value(Meaning::bailout),
              .size = numbers.size};
  for (const Meaning size : {Meaning::zoom, Meaning::radius, Meaning::width, Meaning::height}) {
    const std::string value = numbers.value(size);
    if (!value.empty() && Real(value).sign() <= 0) refuse(source, "its size is not above 0");
  }
  set_size(numbers, place);
  const std::string steps = numbers.value(Meaning::iterations);
  if (!steps.empty()) place.iterations = count(source, "iterations", steps);
  return place;
}

}  // namespace tessera::place
