#include "device/pixels/block_proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/fma_clones.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::device {
namespace {

/// A block is halved in both directions up to so many times.
// crossed by: HoldsForEveryPixel, ComparesTheParts, TakesNoMoreStepsThanTheBlockIsWorth
constexpr int kMaxHalvings = 3;
/// A disc is saved, to see whether a later one is within it, from this n on. It is enlarged before
/// by so much that orbits can be seen to contract.
// crossed by: HoldsForEveryPixel, ComparesTheParts, TakesNoMoreStepsThanTheBlockIsWorth
constexpr std::uint64_t kFirstSaved = 4;
constexpr double kEnlarged = 1.125;
/// Twice the error of a step, relative to |z|^d + |c|: 2 k u with k < 18 (docs/formulas.md).
constexpr double kStepError = 0x1p-47;
/// More than the relative error of the few operations that compute a bound.
constexpr double kAbove = 1 + 1e-14;
constexpr double kBelow = 1 - 1e-14;
constexpr double kSmallest = 1e-300;  ///< more than any error of underflow

struct Point {
  double x = 0;
  double y = 0;
};

/// A disc that contains z_n of every pixel of a block.
struct Disc {
  Point center;
  double radius = 0;
};

double length_below(const Point& z) {
  return std::sqrt(kernels::ts_radius2(z.x, z.y)) * kBelow;
}
double length_above(const Point& z) {
  return std::sqrt(kernels::ts_radius2(z.x, z.y)) * kAbove;
}

/// A disc around the coordinates of all pixels. They are monotonic in column and in row, in spite
/// of rounding, hence within the smallest rectangle around those at the four corners.
Disc disc_of(const job::ImageSpec& image, const base::PixelRect& block) {
  const double half_width = static_cast<double>(image.size_px.width) / 2;
  const double half_height = static_cast<double>(image.size_px.height) / 2;
  const auto corner = [&](std::int64_t column, std::int64_t row) {
    const double u = kernels::ts_column_offset(static_cast<double>(column), half_width);
    const double v = kernels::ts_row_offset(static_cast<double>(row), half_height);
    return Point{kernels::ts_coordinate(u, image.right_re(), v, image.up_re(), image.center_re),
                 kernels::ts_coordinate(u, image.right_im(), v, image.up_im(), image.center_im)};
  };
  const std::int64_t last_column = block.x + block.width - 1;
  const std::int64_t last_row = block.y + block.height - 1;
  const std::array<Point, 4> corners = {corner(block.x, block.y), corner(last_column, block.y),
                                        corner(block.x, last_row), corner(last_column, last_row)};
  const auto [left, right] = std::ranges::minmax(corners, {}, &Point::x);
  const auto [bottom, top] = std::ranges::minmax(corners, {}, &Point::y);
  const Point center{left.x / 2 + right.x / 2, top.y / 2 + bottom.y / 2};
  const Point reach{std::max(right.x - center.x, center.x - left.x),
                    std::max(top.y - center.y, center.y - bottom.y)};
  return {center, length_above(reach) * kAbove + kSmallest};
}

/// The orbit of a disc: every step takes the center along and enlarges the radius by at least as
/// much as the formula and rounding can separate a pixel from the center.
class DiscOrbit {
 public:
  DiscOrbit(const job::ImageSpec& image, const Disc& pixels)
      : formula_(image.formula),
        bailout2_(image.bailout * image.bailout),
        limit_(image.iterations),
        z_(starts_at_pixel() ? pixels : Disc{}),
        c_(starts_at_pixel() ? Disc{{formula_.constant_re, formula_.constant_im}, 0} : pixels) {}

  /// Takes its steps from `steps_left`.
  std::optional<std::uint64_t> count(std::int64_t& steps_left);

 private:
  bool starts_at_pixel() const { return formula_.id == kernels::TS_FORMULA_julia; }
  bool is_within_bailout() const {
    const double most = length_above(z_.center) + z_.radius;
    return most * most * kAbove <= bailout2_;
  }
  bool is_outside_bailout() const {
    const double center = length_below(z_.center);  // infinite where a square overflows
    const double least = (center - z_.radius) * kBelow;
    return std::isfinite(center) && least > 0 && least * least * kBelow > bailout2_;
  }
  bool is_within_saved() const {
    const double room = (saved_.radius - z_.radius) * kBelow;
    const Point off{z_.center.x - saved_.center.x, z_.center.y - saved_.center.y};
    return room > 0 && length_above(off) <= room * kBelow;
  }
  [[gnu::always_inline]] inline void step();

  job::Formula formula_;
  double bailout2_;
  std::uint64_t limit_;
  Disc z_;
  Disc c_;
  Disc saved_;  ///< an enlarged z_ of before; radius 0 = none yet
};

void DiscOrbit::step() {
  const double center = length_above(z_.center);
  const double most = center + z_.radius;
  // |(z + e)^d - z^d| <= |e| (A^(d-1) + A^(d-2) a + ... + a^(d-1)), a = |z|, A = a + |e|; an
  // absolute value and a conjugate before the power separate nothing further.
  double slope = 1;
  double power = most;
  for (int k = 1; k < formula_.degree; ++k, power *= most) slope = slope * center + power;
  const double rounding = kStepError * (power + length_above(c_.center) + c_.radius) + kSmallest;
  z_.radius = (slope * z_.radius + c_.radius + rounding) * kAbove;
  kernels::ts_step(static_cast<int>(formula_.id), formula_.degree, &z_.center.x, &z_.center.y,
                   c_.center.x, c_.center.y);
}

/// If a disc is within an earlier one, so are all that follow within those in between, none of
/// which left R: no pixel ever escapes.
TESSERA_WITH_AND_WITHOUT_FMA
std::optional<std::uint64_t> DiscOrbit::count(std::int64_t& steps_left) {
  std::uint64_t next_saved = kFirstSaved;
  for (std::uint64_t n = 0; n < limit_; ++n) {
    if (is_outside_bailout()) return n;
    if (!is_within_bailout() || steps_left-- <= 0) return std::nullopt;
    if (is_within_saved()) return limit_;
    if (n == next_saved) {
      z_.radius *= kEnlarged;
      if (!is_within_bailout()) return std::nullopt;
      saved_ = z_;
      next_saved += next_saved / 2;
    }
    step();
  }
  return limit_;
}

std::array<base::PixelRect, 4> quarters(const base::PixelRect& block) {
  const std::int64_t columns = block.width / 2;
  const std::int64_t rows = block.height / 2;
  return {{{block.x, block.y, columns, rows},
           {block.x + columns, block.y, block.width - columns, rows},
           {block.x, block.y + rows, columns, block.height - rows},
           {block.x + columns, block.y + rows, block.width - columns, block.height - rows}}};
}

std::optional<std::uint64_t> count_of(const job::ImageSpec& image, const base::PixelRect& block,
                                      int halvings, std::int64_t& steps_left) {
  const auto whole = DiscOrbit(image, disc_of(image, block)).count(steps_left);
  if (whole || halvings == 0 || block.width < 2 || block.height < 2) return whole;
  std::optional<std::uint64_t> common;
  for (const base::PixelRect& quarter : quarters(block)) {
    const auto one = count_of(image, quarter, halvings - 1, steps_left);
    if (!one || (common && *common != *one)) return std::nullopt;
    common = one;
  }
  return common;
}

}  // namespace

std::optional<std::uint64_t> proven_count(const job::ImageSpec& image, const base::PixelRect& block,
                                          std::int64_t max_steps) {
  return count_of(image, block, kMaxHalvings, max_steps);
}

std::optional<std::uint64_t> proven_value(const job::ImageSpec& image,
                                          const job::MoreFields& fields,
                                          const base::PixelRect& block, std::int64_t max_steps) {
  if (image.deep()) return std::nullopt;
  const auto count = proven_count(image, block, max_steps);
  if (!count || *count == image.iterations) return count;
  // Where a small derivative decides, an orbit that escapes may have another count.
  const bool has_one_value = image.interior != job::Interior::derivative && !fields.any();
  return has_one_value ? count : std::nullopt;
}

}  // namespace tessera::device
