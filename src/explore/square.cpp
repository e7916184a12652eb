#include "explore/square.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "deep/exact_steps.hpp"
#include "job/image/default_iterations.hpp"
#include "job/image/resolution.hpp"

namespace tessera::explore {
namespace {

/// An image is at least so wide, so that the squares round a place have the same one.
// crossed by: neighbours_share_an_image
constexpr std::int64_t kMinImagePx = 4096;
/// Pixels for one whose count is looked at.
constexpr std::size_t kRangeStep = 7;

/// Side of an image round the place that holds the block at `x` and `y`.
std::int64_t image_side(const SquareKey& key) {
  const auto reach = [&](std::int64_t steps) {
    return std::max(std::abs(steps), std::abs(steps + 1)) * key.side_px();
  };
  const auto side = static_cast<std::uint64_t>(2 * std::max(reach(key.x), reach(key.y)));
  return std::max(kMinImagePx, static_cast<std::int64_t>(std::bit_ceil(side)));
}

/// The squares of a coarse level are wider in pixels of the same number.
int level_of_pixels(const SquareKey& key) {
  return key.level - std::countr_zero(static_cast<unsigned>(key.coarse));
}

void set_arithmetic(const job::RenderJob& job, const Place& place, const std::string& width,
                    job::ImageSpec& image) {
  const bool deep = job.arithmetic_auto ? job::needs_perturbation(image)
                                        : job.image.has_place() && job::can_be_deep(image.formula);
  image.arithmetic = deep ? job::Arithmetic::perturbation : job::Arithmetic::plain;
  image.place = {};
  if (!deep) return;
  image.place = {place.center_re, place.center_im, width};
  if (image.formula.id != kernels::TS_FORMULA_mandelbrot) image.interior = job::Interior::proven;
}

/// Those of the job that the image can have.
job::MoreFields fields_of(const job::RenderJob& job, const job::ImageSpec& image) {
  if (image.bailout < job::escape_radius(image.formula)) return {};
  return job::more_fields(job.fields);
}

/// The image as small as the block allows: farther points have a larger spacing.
void check_resolution(const SquareImage& square) {
  job::ImageSpec image = square.image;
  const auto reach = [](std::int64_t first, std::int64_t size, std::int64_t all) {
    return 2 * std::max(std::abs(first - all / 2), std::abs(first + size - all / 2));
  };
  const std::int64_t side =
      std::max(reach(square.block.x, square.block.width, image.size_px.width),
               reach(square.block.y, square.block.height, image.size_px.height));
  image.width = image.step() * static_cast<double>(side);
  image.size_px = {side, side};
  if (image.deep() || job::distinguishes_pixels(image)) return;
  throw base::usage_error("this place is too deep for 64-bit floats");
}

}  // namespace

SquareImage image_of(const job::RenderJob& job, const Place& place, const SquareKey& key) {
  const std::int64_t side = image_side(key);
  // The image is side / kSquarePx squares wide, both powers of two.
  const int halvings =
      level_of_pixels(key) - (std::countr_zero(static_cast<std::uint64_t>(side)) -
                              std::countr_zero(static_cast<std::uint64_t>(kSquarePx)));
  SquareImage square;
  square.image = job.image;
  job::ImageSpec& image = square.image;
  image.center_re = base::nearest_real(place.center_re, "center");
  image.center_im = base::nearest_real(place.center_im, "center");
  image.width = std::ldexp(base::nearest_real(place.span, "span"), -halvings);
  image.size_px = {side, side};
  image.iterations = key.iterations;
  image.formula = job::parse_formula(key.formula, "formula");
  set_arithmetic(job, place, deep::scaled_exactly(place.span, 1, halvings), image);
  const std::int64_t pixels = key.side_px();
  square.block = {side / 2 + key.x * pixels, side / 2 + key.y * pixels, pixels, pixels};
  square.fields = fields_of(job, image);
  check_resolution(square);
  return square;
}

std::uint64_t SquareValues::count(std::size_t pixel) const {
  std::uint64_t value = 0;  // all machines are little-endian
  const std::size_t bytes = base::element_bytes(type);
  std::memcpy(&value, counts.data() + pixel * bytes, bytes);
  return value;
}

std::optional<CountRange> default_counts(const SquareValues& values, std::uint64_t iterations) {
  std::vector<std::uint64_t> outside;
  const std::size_t pixels = values.counts.size() / base::element_bytes(values.type);
  for (std::size_t pixel = 0; pixel < pixels; pixel += kRangeStep) {
    const std::uint64_t count = values.count(pixel);
    if (count < iterations) outside.push_back(count);
  }
  if (outside.empty()) return std::nullopt;
  std::ranges::sort(outside);
  return CountRange{outside[outside.size() / 10], outside[outside.size() * 9 / 10]};
}

std::uint64_t default_iterations(const Place& place, int level) {
  return job::default_iterations(level - std::floor(deep::log2_of(place.span)));
}

}  // namespace tessera::explore
