// The text that FractalShark copies to the clipboard, and its list of locations.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "place/formats.hpp"
#include "place/loose_number.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

/// The text between `begin` and `end`.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return "";
  const std::string_view rest = text.substr(at + begin.size());
  return std::string(base::trim(rest.substr(0, rest.find_first_of(end))));
}

/// In quotes, or up to the end of the line.
std::string value_of(std::string_view text, std::string_view key) {
  const std::string line = between(text, key, "\r\n");
  const std::size_t quote = line.find('"');
  return quote == line.npos ? line : between(line, "\"", "\"");
}

/// Of a line of the list: W H minX minY maxX maxY iterations antialiasing description.
constexpr std::size_t kNumbersOfLine = 8;

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  for (std::string& word : base::split(line, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

bool is_location(std::string_view line) {
  const std::vector<std::string> words = words_of_line(line);
  if (words.size() < kNumbersOfLine) return false;
  return std::ranges::all_of(std::span(words).first(kNumbersOfLine),
                             [](const auto& word) { return !loose_number(word).empty(); });
}

std::string description_of(const std::vector<std::string>& words) {
  return base::join(std::span(words).subspan(kNumbersOfLine), " ");
}

/// The line that the entry names by its description or its number, or the only one.
std::vector<std::string> location_of(const Source& source) {
  std::vector<std::string> names;
  std::vector<std::string> found;
  for (const std::string& line : base::split(source.text, '\n')) {
    if (!is_location(line)) continue;
    const std::vector<std::string> words = words_of_line(line);
    names.push_back(description_of(words));
    const bool named = source.entry.empty() || names.back() == source.entry ||
                       std::to_string(names.size()) == source.entry;
    if (named) found = words;
  }
  if (found.empty() || (source.entry.empty() && names.size() > 1)) {
    refuse(source, fmt::format("has several places; name one as {}:NUMBER: {}", source.name,
                               base::join(names)));
  }
  return found;
}

}  // namespace

bool is_fractalshark_list(std::string_view text) {
  return is_location(text.substr(0, text.find('\n')));
}

Place read_fractalshark_list(const Source& source) {
  const std::vector<std::string> words = location_of(source);
  const auto number = [&](std::size_t i) { return decimal(source, "location", words[i]); };
  const auto width = base::read_integer(words[0]);
  const auto height = base::read_integer(words[1]);
  const auto length = [&](std::size_t from, std::size_t to) {
    return plane::distance(number(from), number(to));
  };
  Place place{.entry = description_of(words),
              .center_re = plane::middle(number(2), number(4)),
              .center_im = plane::middle(number(3), number(5)),
              .height = length(3, 5),
              .iterations = count(source, "iterations", words[6])};
  if (plane::Real(place.height).sign() <= 0) refuse(source, "its box has no height");
  if (width && height && *width > 0 && *height > 0) place.size = base::ImageSize{*width, *height};
  return place;
}

bool is_fractalshark(std::string_view text) {
  return text.find("Center X:") != text.npos && text.find("Center Y:") != text.npos &&
         text.find("zoomFactor:") != text.npos;
}

Place read_fractalshark(const Source& source) {
  Place place{.center_re = decimal(source, "Center X", value_of(source.text, "Center X:")),
              .center_im = decimal(source, "Center Y", value_of(source.text, "Center Y:"))};
  place.zoom = decimal(source, "zoomFactor", value_of(source.text, "zoomFactor:"));
  if (plane::Real(place.zoom).sign() <= 0) refuse(source, "its zoomFactor is not above 0");
  place.height = plane::scaled("4", "1", place.zoom);
  std::string steps = between(source.text, "SetNumIterations", ";");
  if (const std::size_t open = steps.find('('); open != steps.npos) {
    place.iterations = count(source, "iterations", between(steps.substr(open), "(", ")"));
  }
  return place;
}

}  // namespace tessera::place
