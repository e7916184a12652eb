// The text that FractalShark copies to the clipboard.
#include "base/text.hpp"
#include "place/formats.hpp"
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

}  // namespace

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
