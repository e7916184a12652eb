// .kfr of Kalles Fraktaler 2.9 to 2.15 (the meaning of its keys: docs/pictures.md, "Places").
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::ExactMatrix;
using plane::Real;

/// The first version with RotateAngle, StretchAngle and StretchAmount.
constexpr double kAnglesVersion = 2150100;

/// A key with the only value that keeps the formula.
struct Neutral {
  std::string_view key;
  double value;
};
constexpr std::array kNeutral = std::to_array<Neutral>({{"UseHybridFormula", 0},
                                                        {"SeedR", 0},
                                                        {"SeedI", 0},
                                                        {"FactorAR", 1},
                                                        {"FactorAI", 0},
                                                        {"real", 1},
                                                        {"imag", 1},
                                                        {"BailoutNormPreset", 1}});

void check_neutral_keys(const Source& source, const Values& values) {
  for (const auto& [key, neutral] : kNeutral) {
    if (real_value(source, values, key, neutral) == neutral) continue;
    refuse(source, fmt::format("its {} is {}: such a formula is not rendered here, only {}", key,
                               value_or(values, key, ""), neutral));
  }
}

std::string formula_of(const Source& source, const Values& values) {
  const double type = real_value(source, values, "FractalType", 0);
  const double power = real_value(source, values, "Power", 2);
  constexpr double kMostPower = 8;
  if (type == 0 && power == 2) return "mandelbrot";
  if (type == 0 && power >= 3 && power <= kMostPower && power == static_cast<int>(power)) {
    return fmt::format("multibrot:{}", power);
  }
  if (type == 1 && power == 2) return "burning-ship";
  if (type == 4 && power == 2) return "tricorn";
  refuse(source, fmt::format("its FractalType {} with Power {} is a formula that is not rendered "
                             "here; there are {}",
                             type, power, job::formula_choices()));
}

/// 2^(1/(Power-1)).
std::string least_bailout(double power) {
  return fmt::format("{}", exp2(Real(1) / Real(power - 1)).nearest());
}

std::string bailout_of(const Source& source, const Values& values) {
  constexpr std::string_view kHigh = "10000";
  const double power = real_value(source, values, "Power", 2);
  const auto by_method = [&](double method) {
    if (method == 0) return std::string(kHigh);
    return method == 1 ? "2" : least_bailout(power);
  };
  if (!values.contains("BailoutRadiusPreset") && !values.contains("SmoothingMethod")) {
    return by_method(real_value(source, values, "SmoothMethod", 0));
  }
  const double preset = real_value(source, values, "BailoutRadiusPreset", 0);
  if (preset == 3) return decimal_value(source, values, "BailoutRadiusCustom", "2");
  return by_method(preset);
}

/// From pixels, right and down, to the plane.
ExactMatrix matrix_by_angles(const Source& source, const Values& values) {
  const auto number = [&](std::string_view key) {
    return Real(decimal_value(source, values, key, "0"));
  };
  const bool up = real_value(source, values, "ImagPointsUp", 0) != 0;
  return plane::diagonal(1, up ? -1 : 1) *
         plane::stretch(number("StretchAngle"), exp2(number("StretchAmount"))) *
         plane::rotation(number("RotateAngle"));
}

/// Of versions before the angles: the turn is in radians, and clockwise where the axis points down.
ExactMatrix matrix_by_ratio(const Source& source, const Values& values) {
  constexpr double kNoRatio = 360;
  const Real turn = degrees_of_radians(Real(decimal_value(source, values, "Rotate", "0")));
  const Real ratio(decimal_value(source, values, "Ratio", "360"));
  if (ratio.sign() <= 0) refuse(source, "its Ratio is not above 0");
  ExactMatrix scale;
  scale.a = Real(kNoRatio) / ratio;
  return plane::rotation(-turn) * scale;
}

bool has_old_turn(const Source& source, const Values& values) {
  if (real_value(source, values, "Version", 0) >= kAnglesVersion) return false;
  if (values.contains("RotateAngle") || values.contains("StretchAmount")) return false;
  return real_value(source, values, "Rotate", 0) != 0 ||
         real_value(source, values, "Ratio", 360) != 360;
}

/// Of a picture or settings, which .kfr alone lacks.
std::optional<base::ImageSize> size_of(const Values& values) {
  const auto width = base::read_integer(value_or(values, "ImageWidth", ""));
  const auto height = base::read_integer(value_or(values, "ImageHeight", ""));
  if (!width || !height || *width <= 0 || *height <= 0) return std::nullopt;
  return base::ImageSize{*width, *height};
}

bool is_line_of_key(std::string_view line) {
  const std::size_t mark = line.find(':');
  return line.empty() || (mark != line.npos && line.substr(0, mark).find(' ') == line.npos);
}

}  // namespace

bool is_kalles_fraktaler(std::string_view text) {
  const Values values = lines_of_keys(text);
  for (const std::string_view key : {"Re", "Im", "Zoom"}) {
    if (!values.contains(key)) return false;
  }
  if (values.contains("Version") || values.contains("FractalType")) return true;
  const std::vector<std::string> lines = base::split(text, '\n');
  return std::ranges::all_of(lines, is_line_of_key);
}

Place read_kalles_fraktaler(const Source& source) {
  const Values values = lines_of_keys(source.text);
  check_neutral_keys(source, values);
  Place place{.formula = formula_of(source, values),
              .center_re = decimal_value(source, values, "Re", "0"),
              .center_im = decimal_value(source, values, "Im", "0"),
              .iterations = count(source, "Iterations", value_or(values, "Iterations", "200")),
              .bailout = bailout_of(source, values),
              .size = size_of(values)};
  place.zoom = decimal_value(source, values, "Zoom", "1");
  if (Real(place.zoom).sign() <= 0) refuse(source, "its Zoom is not above 0");
  place.height = plane::scaled("4", "1", place.zoom);
  const bool old_turn = has_old_turn(source, values);
  const ExactMatrix down =
      old_turn ? matrix_by_ratio(source, values) : matrix_by_angles(source, values);
  plane::Real scale = 1;
  place.matrix = rounded(down * plane::diagonal(1, -1), &scale);
  if (old_turn) {
    place.height = plane::decimal_of(Real(place.height) * scale);
    place.zoom.clear();
    place.notes.emplace_back("turned by Rotate and Ratio, which versions from 2.15.1 on ignore");
  }
  if (values.contains("Colors")) place.left_out.emplace_back("colours");
  if (real_value(source, values, "UseOpenGL", 0) != 0) place.left_out.emplace_back("its shader");
  return place;
}

}  // namespace tessera::place
