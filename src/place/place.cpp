#include "place/place.hpp"

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

std::string scaled_by_pixels(const std::string& length, std::int64_t factor, std::int64_t divisor) {
  return plane::scaled(length, std::to_string(factor), std::to_string(divisor));
}

bool has_shape(base::ImageSize one, base::ImageSize other) {
  return one.width * other.height == other.width * one.height;
}

/// Zeros for a coordinate that has fewer places than the width needs.
std::string with_zeros(const std::string& coordinate, std::int64_t places, Place& place) {
  const base::DecimalDigits digits = base::digits_of(coordinate);
  if (digits.significant <= job::kExactDigits || digits.places >= places) return coordinate;
  const std::string note = fmt::format(
      "its centre has {} decimal places where this width needs {}, so zeros follow them",
      digits.places, places);
  if (place.notes.empty() || !place.notes.back().starts_with("its centre has")) {
    place.notes.push_back(note);
  }
  return plane::with_places(coordinate, places);
}

}  // namespace

std::string width_of(const Place& place, base::ImageSize size_px) {
  if (!place.given_width.empty() && has_shape(*place.size, size_px)) return place.given_width;
  if (place.height.empty()) return place.width;
  std::string width = scaled_by_pixels(place.height, size_px.width, size_px.height);
  if (place.width.empty()) return width;
  const plane::Real wider = plane::Real(place.width) - plane::Real(width);
  return wider.sign() > 0 ? plane::decimal_of(plane::Real(place.width)) : width;
}

std::string height_of(const Place& place, base::ImageSize size_px) {
  if (place.width.empty()) return place.height;
  return scaled_by_pixels(width_of(place, size_px), size_px.height, size_px.width);
}

std::vector<job::Given> options_of(Place& place, base::ImageSize size_px,
                                   const std::string& origin) {
  const std::string width = width_of(place, size_px);
  job::parse_width(width, origin);
  const std::int64_t places = -base::digits_of(width).exponent;
  std::vector<job::Given> given;
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) given.push_back({std::string(option), value, origin});
  };
  add("formula", place.formula);
  add("center", with_zeros(place.center_re, places, place) + "," +
                    with_zeros(place.center_im, places, place));
  add("width", width);
  add("size", job::format_size(size_px));
  if (!place.matrix.is_identity()) add("matrix", plane::text_of(place.matrix));
  add("iterations", place.iterations);
  add("bailout", place.bailout);
  return given;
}

Place place_of(const job::RenderJob& job) {
  const job::PointText center = job::split_point(job.center_text, "center");
  const base::ImageSize size = job.picture_px();
  return {.format = "Tessera",
          .formula = job.formula_text,
          .center_re = center.re,
          .center_im = center.im,
          .height = scaled_by_pixels(job.width_text, size.height, size.width),
          .iterations = std::to_string(job.image.iterations),
          .bailout = fmt::format("{}", job.image.bailout),
          .size = size,
          .matrix = job.image.matrix,
          .given_width = job.width_text};
}

std::string summary_of(const Place& place) {
  std::string text = fmt::format("a place of {}", place.format);
  if (!place.entry.empty()) text += fmt::format(", entry {}", place.entry);
  text += ": " + place.formula;
  if (!place.height.empty()) text += ", height " + base::shortened(place.height);
  if (place.height.empty()) text += ", width " + base::shortened(place.width);
  if (!place.iterations.empty()) text += fmt::format(", {} iterations", place.iterations);
  if (!place.bailout.empty()) text += ", bailout " + place.bailout;
  if (!place.matrix.is_identity()) text += ", matrix " + plane::text_of(place.matrix);
  for (const std::string& note : place.notes) text += "; " + note;
  if (!place.left_out.empty()) text += "; not taken over: " + base::join(place.left_out);
  return text;
}

}  // namespace tessera::place
