// .upr of Ultra Fractal. Its framing and the sign of its angles are not documented.
#include <fmt/format.h>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "place/entries.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::Real;

/// The words behind "TITLE:", up to the next title.
Values section(std::string_view text, std::string_view title) {
  const std::size_t at = text.find(title);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + title.size());
  std::size_t end = rest.size();
  for (const std::string_view next : {"layer:", "mapping:", "transform:", "formula:", "inside:",
                                      "outside:", "gradient:", "opacity:"}) {
    end = std::min(end, rest.find(next));
  }
  return words_of(rest.substr(0, end));
}

std::string formula_of_section(const Source& source, const Values& values) {
  const std::string entry = value_or(values, "entry", "");
  const std::string file = value_or(values, "filename", "");
  const std::string power = value_or(values, "p_power", "2/0");
  const std::vector<std::string> parts = base::split(power, '/');
  const auto degree = base::read_integer(parts.empty() ? "" : parts[0]);
  const bool whole =
      degree && (parts.size() < 2 || Real(decimal(source, "p_power", parts[1])).is_zero());
  const bool standard =
      file == "Standard.ufm" && (entry == "Mandelbrot" || entry == "FastMandelbrot");
  if (!standard || !whole || *degree < 2 || *degree > job::kGreatestDegree) {
    refuse(source, fmt::format("its formula {} of {} with p_power={} is not rendered here; there "
                               "are {}",
                               entry, file, power, job::formula_choices()));
  }
  for (const std::string& part : base::split(value_or(values, "p_start", "0/0"), '/')) {
    if (!Real(decimal(source, "p_start", part)).is_zero()) refuse(source, "its p_start is not 0");
  }
  return *degree == 2 ? "mandelbrot" : fmt::format("multibrot:{}", *degree);
}

std::optional<base::ImageSize> size_of_section(const Values& values) {
  const auto width = base::read_integer(value_or(values, "width", ""));
  const auto height = base::read_integer(value_or(values, "height", ""));
  if (!width || !height || *width <= 0 || *height <= 0) return std::nullopt;
  return base::ImageSize{*width, *height};
}

void add_untaken(const Source& source, const Values& mapping, Place& place) {
  for (const auto& [key, neutral] : {std::pair("angle", 0), {"stretch", 1}, {"skew", 0}}) {
    const std::string value = value_or(mapping, key, "");
    if (value.empty() || real_value(source, mapping, key, neutral) == neutral) continue;
    place.left_out.push_back(fmt::format("its {}={}, whose sense is not documented", key, value));
  }
}

}  // namespace

bool is_ultra_fractal(std::string_view text) {
  return text.find("mapping:") != text.npos ||
         (text.find('{') != text.npos && text.find("\n::") != text.npos);
}

Place read_ultra_fractal(const Source& source) {
  const Entry entry = entry_of(source);
  if (entry.text.find("mapping:") == entry.text.npos) {
    refuse(source, "is a compressed parameter set; save it in Ultra Fractal without compression");
  }
  const Values mapping = section(entry.text, "mapping:");
  const Values formula = section(entry.text, "formula:");
  const std::vector<std::string> center = base::split(value_or(mapping, "center", "0/0"), '/');
  if (center.size() != 2) refuse(source, "its center= is not two numbers");
  Place place{.entry = entry.name,
              .formula = formula_of_section(source, formula),
              .center_re = decimal(source, "center", center[0]),
              .center_im = decimal(source, "center", center[1]),
              .size = size_of_section(section(entry.text, "fractal:"))};
  const std::string magnification = decimal_value(source, mapping, "magn", "1");
  if (Real(magnification).sign() <= 0) refuse(source, "its magn is not above 0");
  place.height = plane::scaled("3", "1", magnification);
  place.notes.emplace_back(
      "magn is taken as a height of 3 / magn, which is not documented; --width "
      "says otherwise");
  if (formula.contains("maxiter")) {
    place.iterations = count(source, "maxiter", value_or(formula, "maxiter", ""));
  }
  // |z| in its formulas is the square.
  const std::string bailout = value_or(formula, "p_bailout", "");
  if (!bailout.empty()) {
    const Real square(decimal(source, "p_bailout", bailout));
    if (square.sign() <= 0) refuse(source, "its p_bailout is not above 0");
    place.bailout = plane::decimal_of(sqrt(square), 17);
  }
  add_untaken(source, mapping, place);
  const std::size_t mappings = entry.text.find("mapping:") + 1;
  if (entry.text.find("mapping:", mappings) != entry.text.npos) {
    place.left_out.emplace_back("its other layers");
  }
  if (entry.text.find("transform:") != entry.text.npos) {
    refuse(source, "it has a transform:, which is not rendered here");
  }
  place.left_out.emplace_back("colours");
  return place;
}

}  // namespace tessera::place
