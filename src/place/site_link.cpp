// Links to places on the web.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "job/values.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

constexpr base::ImageSize kWindow{1280, 720};

/// The word of the text that begins with a scheme; "" without one.
std::string link_in(std::string_view text) {
  const std::size_t at = std::min(text.find("https://"), text.find("http://"));
  if (at == text.npos) return "";
  const std::string_view rest = text.substr(at);
  return std::string(rest.substr(0, rest.find_first_of(" \t\r\n<>\"')")));
}

/// KEY=VALUE&... behind the question mark.
Values query_of(const std::string& link) {
  Values values;
  const std::size_t mark = link.find('?');
  if (mark == link.npos) return values;
  const std::string_view query = std::string_view(link).substr(mark + 1);
  for (const std::string& part : base::split(query.substr(0, query.find('#')), '&')) {
    const std::size_t equals = part.find('=');
    if (equals != part.npos) values[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return values;
}

std::string formula_of_degree(const Source& source, const std::string& power) {
  const plane::Real degree(decimal(source, "e", power));
  const double value = degree.nearest();
  if (value == 2) return "mandelbrot";
  if (value == static_cast<int>(value) && value >= job::kMinDegree &&
      value <= job::kGreatestDegree) {
    return fmt::format("multibrot:{}", value);
  }
  refuse(source, fmt::format("its power {} is not rendered here; there are {}", power,
                             job::formula_choices()));
}

}  // namespace

bool is_link(std::string_view text) {
  // A link below the numbers of a post is where the post was.
  const std::string link = link_in(text);
  if (link.empty()) return false;
  return is_known_link(link) || base::trim(text) == link;
}

bool is_known_link(std::string_view link) {
  return link.find("mandelbrot.site") != link.npos;
}

Place read_link(const Source& source) {
  const std::string link = link_in(source.text);
  const Values query = query_of(link);
  if (!is_known_link(link) || !query.contains("re") || !query.contains("im") ||
      !query.contains("z")) {
    refuse(source,
           "is a link whose numbers are not known here; give --center, --width and "
           "--iterations");
  }
  // A pixel of the page is 2^-(z + 5).
  const plane::Real zoom(decimal_value(source, query, "z", "0"));
  constexpr double kPageZoom = 5;
  Place place{.formula = formula_of_degree(source, value_or(query, "e", "2")),
              .center_re = decimal_value(source, query, "re", "0"),
              .center_im = decimal_value(source, query, "im", "0"),
              .height = plane::decimal_of(plane::Real(double(kWindow.height)) *
                                          exp2(-(zoom + plane::Real(kPageZoom))))};
  if (query.contains("i")) place.iterations = count(source, "i", value_or(query, "i", ""));
  place.notes.push_back(
      fmt::format("the window is taken to have been {}", job::format_size(kWindow)));
  return place;
}

}  // namespace tessera::place
