#include "job/image/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

/// Distance from |x| to the next f64 above it.
double spacing(double x) {
  x = std::abs(x);
  return std::nextafter(x, std::numeric_limits<double>::infinity()) - x;
}

double largest_coordinate(const ImageSpec& image) {
  const double half_width = static_cast<double>(image.size_px.width) / 2;
  const double half_height = static_cast<double>(image.size_px.height) / 2;
  const auto reach = [&](double right, double up) {
    return half_width * std::abs(right) + half_height * std::abs(up);
  };
  return std::max(std::abs(image.center_re) + reach(image.right_re(), image.up_re()),
                  std::abs(image.center_im) + reach(image.right_im(), image.up_im()));
}

/// The larger part of the smaller one of the steps to the right and up: c differs by as much.
double least_change(const ImageSpec& image) {
  return std::min(std::max(std::abs(image.right_re()), std::abs(image.right_im())),
                  std::max(std::abs(image.up_re()), std::abs(image.up_im())));
}

/// `value` with two digits, rounded up.
std::string round_up(double value) {
  std::string text = fmt::format("{:.1e}", value);
  if (base::read_real(text) >= value) return text;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.1e}", value + unit / 2);
}

}  // namespace

bool distinguishes_pixels(const ImageSpec& image) {
  return least_change(image) > spacing(largest_coordinate(image));
}

bool needs_perturbation(const ImageSpec& image) {
  return can_be_deep(image.formula) && image.step() < std::ldexp(1.0, -kPlainStepBits);
}

bool is_beyond_f64(const RenderJob& job) {
  const bool open = job.arithmetic_auto || job.image.bounded();
  const bool deep = open ? needs_perturbation(job.image) : job.image.deep();
  return deep && !distinguishes_pixels(job.image);
}

void resolve_arithmetic(RenderJob& job) {
  ImageSpec& image = job.image;
  if (job.arithmetic_auto) {
    image.arithmetic = needs_perturbation(image) ? Arithmetic::perturbation : Arithmetic::plain;
  }
  if (image.bounded() && needs_perturbation(image)) image.arithmetic = Arithmetic::perturbation;
  job.arithmetic_auto = job.arithmetic_auto && job.frames > 0;  // each image decides for itself
  if (!image.has_place()) return;
  const PointText center = split_point(job.center_text, "center");
  image.place = {base::normalized_decimal(center.re), base::normalized_decimal(center.im),
                 base::normalized_decimal(job.width_text)};
}

std::string missing_digits(const RenderJob& job) {
  if (!job.image.deep()) return "";
  const std::int64_t needed = -base::digits_of(job.width_text).exponent;
  const PointText center = split_point(job.center_text, "center");
  for (const auto& [name, text] : {std::pair("real", &center.re), {"imaginary", &center.im}}) {
    const base::DecimalDigits digits = base::digits_of(*text);
    if (digits.significant <= kExactDigits || digits.places >= needed) continue;
    return fmt::format("its {} part has {} decimal places, and a width of {} needs {}", name,
                       digits.places, base::shortened(job.width_text), needed);
  }
  return "";
}

std::string min_width(ImageSpec image) {
  // A wider image may reach coordinates with a larger spacing, so the answer is approached from
  // below; each round either suffices or reaches the next power of two.
  const double closest = least_change(image) / image.step();
  std::string text;
  do {
    const double min_step = spacing(largest_coordinate(image)) / closest;
    const auto pixels = static_cast<double>(image.size_px.width);
    text = round_up(min_step * pixels * (1 + 1e-15));
    image.width = base::read_real(text).value();
  } while (!distinguishes_pixels(image));
  return text;
}

std::string rounded_center(const RenderJob& job) {
  if (job.image.has_place()) return "";
  constexpr std::size_t kDigits = 17;  // of any f64
  const std::string given = normalized_point(job.center_text);
  const std::string used = fmt::format("{},{}", job.image.center_re, job.image.center_im);
  const std::size_t comma = given.find(',');
  bool dropped = false;
  for (const std::string& part : {given.substr(0, comma), given.substr(comma + 1)}) {
    const std::size_t digits =
        std::min(part.find('e'), part.size()) - (part.starts_with('-') ? 1 : 0);
    dropped = dropped || digits > kDigits;
  }
  return dropped && given != normalized_point(used) ? used : "";
}

}  // namespace tessera::job
