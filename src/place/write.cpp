#include "place/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::ExactMatrix;
using plane::Polar;
using plane::Real;

constexpr int kAngleDigits = 18;
constexpr int kZoomDigits = 20;

/// The degree of a power, 0 for other formulas.
int degree_of(const Place& place) {
  const job::Formula formula = job::parse_formula(place.formula, "formula");
  if (formula.id == kernels::TS_FORMULA_mandelbrot) return 2;
  return formula.id == kernels::TS_FORMULA_multibrot ? formula.degree : 0;
}

base::ImageSize size_of(const Place& place) {
  return place.size.value_or(job::RenderJob().image.size_px);
}

std::string zoom_of(const Place& place) {
  if (!place.zoom.empty()) return place.zoom;
  return plane::decimal_of(Real(4) / Real(height_of(place, size_of(place))), kZoomDigits);
}

std::string angle(const Real& value) {
  return plane::decimal_of(value, kAngleDigits);
}

[[noreturn]] void refuse_formula(const Place& place, std::string_view program) {
  throw base::usage_error("--as: the formula {} is not in files of {}", place.formula, program);
}

/// FractalType and Power.
std::string kfr_formula(const Place& place) {
  const int degree = degree_of(place);
  if (degree > 0) return fmt::format("FractalType: 0\r\nPower: {}\r\n", degree);
  if (place.formula == "burning-ship") return "FractalType: 1\r\nPower: 2\r\n";
  if (place.formula == "tricorn") return "FractalType: 4\r\nPower: 2\r\n";
  refuse_formula(place, "Kalles Fraktaler");
}

/// K = G P(s, f) Rot(r) with M = K diag(1, -1); P Rot(r) = Rot(r) P(s - r, f).
std::string kfr_orientation(const Place& place) {
  const ExactMatrix m = exact(place.matrix);
  const bool up = m.determinant().sign() > 0;
  const Polar polar = polar_of(plane::diagonal(1, up ? -1 : 1) * m * plane::diagonal(1, -1));
  const bool stretched = (polar.factor - Real(1)).nearest() > 1e-15;
  return fmt::format(
      "RotateAngle: {}\r\nStretchAngle: {}\r\nStretchAmount: {}\r\nImagPointsUp: {}\r\n",
      angle(polar.turn_degrees), stretched ? angle(polar.axis_degrees + polar.turn_degrees) : "0",
      stretched ? angle(log2(polar.factor)) : "0", up ? 1 : 0);
}

std::string iterations_of(const Place& place) {
  if (!place.iterations.empty()) return place.iterations;
  throw base::usage_error("--as: the place does not say its iterations, which such a file has");
}

std::string kfr_text(const Place& place) {
  const std::string bailout = place.bailout.empty() ? "2" : place.bailout;
  return fmt::format(
      "Re: {}\r\nIm: {}\r\nZoom: {}\r\nIterations: {}\r\n{}BailoutRadiusPreset: 3\r\n"
      "BailoutRadiusCustom: {}\r\nBailoutNormPreset: 1\r\n{}Version: 2150500\r\n",
      place.center_re, place.center_im, zoom_of(place), iterations_of(place), kfr_formula(place),
      bailout, kfr_orientation(place));
}

std::string f3_formula(const Place& place) {
  const int degree = degree_of(place);
  if (degree > 0) return fmt::format("power = {}\n", degree);
  if (place.formula == "burning-ship") return "abs_x = true\nabs_y = true\npower = 2\n";
  if (place.formula == "tricorn") return "neg_y = true\npower = 2\n";
  refuse_formula(place, "Fraktaler-3");
}

/// A number that TOML takes as a float.
std::string toml_real(const Real& value) {
  std::string text = plane::decimal_of(value, kAngleDigits);
  const bool has_mark = text.find_first_of(".e") != text.npos;
  return has_mark ? text : text + ".0";
}

std::string f3_text(const Place& place) {
  const ExactMatrix m = exact(place.matrix);
  const int sign = m.determinant().sign();
  const Polar polar = polar_of(m * plane::diagonal(1, sign));
  const bool stretched = (polar.factor - Real(1)).nearest() > 1e-15;
  const Real cents = stretched ? log2(polar.factor) * Real(100) : Real(0);
  const base::ImageSize size = size_of(place);
  return fmt::format(
      "program = \"fraktaler-3\"\nversion = \"3.0\"\nlocation.real = \"{}\"\nlocation.imag = "
      "\"{}\"\n"
      "location.zoom = \"{}\"\nbailout.iterations = {}\nbailout.maximum_reference_iterations = {}\n"
      "bailout.escape_radius = {}\nimage.width = {}\nimage.height = {}\ntransform.reflect = {}\n"
      "transform.rotate = {}\ntransform.stretch_angle = {}\ntransform.stretch_amount = {}\n\n"
      "[[formula]]\n{}",
      place.center_re, place.center_im, zoom_of(place), iterations_of(place), iterations_of(place),
      toml_real(Real(place.bailout.empty() ? "2" : place.bailout)), size.width, size.height,
      sign < 0, toml_real(polar.turn_degrees * Real(sign)),
      toml_real(stretched ? polar.axis_degrees : Real(0)), toml_real(cents), f3_formula(place));
}

struct Writer {
  std::string_view name;
  std::string (*text)(const Place& place);
};
constexpr std::array kWriters = std::to_array<Writer>({{"kfr", kfr_text}, {"f3", f3_text}});

}  // namespace

std::string written_names() {
  std::vector<std::string> names;
  for (const Writer& writer : kWriters) names.emplace_back(writer.name);
  return base::join(names);
}

std::string written(const Place& place, std::string_view as) {
  const auto* const found = std::ranges::find(kWriters, as, &Writer::name);
  if (found != kWriters.end()) return found->text(place);
  throw base::usage_error("--as: there is no format '{}'; there are {}", as, written_names());
}

}  // namespace tessera::place
