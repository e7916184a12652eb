#include "deep/wide_tier.hpp"

#include <algorithm>
#include <cmath>

#include "deep/big_orbit.hpp"
#include "deep/deep_image.hpp"
#include "deep/table_builder.hpp"

namespace tessera::deep {

using kernels::ScaledReal;

namespace {

constexpr double kWideEpsilon = 0x1p-150;
/// Relative error of a step.
constexpr double kWideRounding = 4 * kWideEpsilon;
/// Relative error of |Z + z|^2.
constexpr double kWideNear = 0x1p-148;
constexpr std::int64_t kWideStepBits = 256;

struct WideOrbit {
  const WideTier& tier;
  const ReferenceOrbit& orbit;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ReferenceOrbit
  static constexpr std::int64_t first = 0;

  std::int64_t length() const { return orbit.length(); }
  WideComplex at(std::int64_t m) const { return tier.at(orbit, m); }
};

/// The distance of pixels.
BigReal wide_step(const Place& place) {
  BigReal step(place.width, kWideStepBits);
  mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
  return step;
}

/// A pixel's distance from the centre.
WideComplex wide_offset(const Place& place, std::int64_t column, std::int64_t row) {
  const BigReal step = wide_step(place);
  BigComplex c{step, step};
  const Offset offset = offset_of(place, column_offset(place, column), row_offset(place, row));
  mpfr_mul(c.re.get(), c.re.get(), offset.re.get(), MPFR_RNDN);
  mpfr_mul(c.im.get(), c.im.get(), offset.im.get(), MPFR_RNDN);
  return wide_complex(c);
}

/// |z|^2 - R^2, also where f64 cannot tell.
double above_bailout(const WideComplex& z, double radius2, double bailout2) {
  const double rough = radius2 - bailout2;
  if (std::abs(rough) > 1e-9 * bailout2) return rough;
  const WideComplex square = z * WideComplex{z.re, negated(z.im), z.e};
  return rounded_parts(square + wide_complex({-bailout2, 0, 0}, {0, 0, 0})).first;
}

/// kernels/deep/advance.h with 190 bits, without the derivative's test of the interior: jumps are
/// enough for so few pixels.
class WideLoop {
 public:
  WideLoop(const WideTier& tier, const DeepImage& image, const WideComplex& c, std::uint64_t& steps)
      : tier_(tier), image_(image), limits_(image.limits), c_(c), steps_(steps) {
    pixel_.count = limits_.limit;
    set_m(0);
    if (follows()) step_ = wide_complex({wide_step(image.place), BigReal("0", kWideStepBits)});
  }

  std::optional<CountedPixel> run() {
    State state = State::advances;
    while (state == State::advances) state = step() ? test() : State::done;
    return state == State::done ? std::optional(pixel_) : std::nullopt;
  }

 private:
  enum class State { advances, done, uncertain };

  bool follows() const { return limits_.want_distance != 0; }
  bool escaped() const { return pixel_.count != limits_.limit; }
  void set_m(std::uint64_t m) {
    m_ = m;
    reference_ = tier_.at(*image_.orbit, static_cast<std::int64_t>(m));
  }

  /// The error of Z_m.
  ScaledReal reference_error() const {
    return kernels::ts_scaled_element_error(image_.table.nodes[m_].levels_and_error);
  }

  /// False if no step remains to be tested before the limit.
  bool step() {
    ++steps_;
    const WideComplex w = twice(reference_) + z_;
    const WideComplex t = z_ * w;
    WideComplex slope = w + z_;
    ScaledReal error = (magnitude(slope) + error_) * error_;  // of t
    WideComplex bc = c_;
    WideComplex b_step = step_;
    WideComplex next = t;
    std::uint64_t length = 1;
    if (const WideTier::Entry* const e = tier_.find(m_, magnitude(t) + error)) {
      if (!escaped() && e->length >= limits_.limit - n_) return false;
      const WideComplex qt = e->q * t;
      const WideComplex f = e->a + qt;
      const WideComplex g = f + qt;
      error = (magnitude(g) + magnitude(e->q) * error) * error;
      bc = e->b * c_;
      if (follows()) {
        slope = slope * g;
        b_step = e->b * step_;
      }
      next = t * f;
      length = e->length;
    }
    z_ = next + bc;
    if (follows()) slope_ = slope * slope_ + b_step;
    set_m(m_ + length);
    n_ += length;
    // Elements with errors multiply z, too.
    const ScaledReal rounding = ScaledReal(kWideRounding) + reference_error();
    error_ = error + rounding * (magnitude(z_) + magnitude(bc)) * 2.0;
    return escaped() || n_ < limits_.limit;
  }

  State test() {
    const WideComplex full = reference_ + z_;
    const auto [x, y] = rounded_parts(full);
    const double radius2 = std::fma(x, x, y * y);
    if (pixel_.smooth_m == 0 && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
      pixel_.smooth_m = n_;
      pixel_.smooth_radius2 = radius2;
      const auto [slope_re, slope_im] = rounded_parts(slope_);
      pixel_.smooth_slope2 =
          kernels::ts_slope2(limits_, x, y, radius2, {.re = slope_re, .im = slope_im});
    }
    if (!escaped()) {
      const double size = std::abs(x) + std::abs(y);
      const double safe = TS_DEEP_SAFETY * (error_ + reference_error()).value();
      const double above = above_bailout(full, radius2, limits_.bailout2);
      if (safe > TS_DEEP_LARGEST_ERROR * (1 + size) ||
          std::abs(above) <= safe * (size + limits_.bailout) ||
          std::abs(above) <= kWideNear * limits_.bailout2) {
        return State::uncertain;
      }
      if (above > 0) pixel_.count = n_;
    }
    if (escaped() && (limits_.want_smooth == 0 || pixel_.smooth_m != 0)) return State::done;
    const bool begins = magnitude(full) < magnitude(z_) || m_ >= limits_.last;
    return begins ? begin_again(full) : State::advances;
  }

  State begin_again(const WideComplex& full) {
    z_ = full;
    error_ = error_ + reference_error() + ScaledReal(2 * kWideRounding) * magnitude(full);
    set_m(0);
    if (escaped()) return State::advances;
    if (z_ == saved_ && !(saved_error_ * TS_DEEP_SAME_ERROR < error_)) return State::done;
    if (++begun_ >= saved_next_) {
      saved_ = z_;
      saved_error_ = error_;
      saved_next_ = 2 * begun_;
    }
    return State::advances;
  }

  const WideTier& tier_;
  const DeepImage& image_;
  const kernels::TsDeepLimits& limits_;
  WideComplex c_, z_;
  WideComplex reference_;     ///< Z_m
  WideComplex step_, slope_;  ///< for distances: what the pixel to the right adds to c, and to z
  ScaledReal error_;
  std::uint64_t m_ = 0, n_ = 0;
  CountedPixel pixel_;
  WideComplex saved_;  ///< an earlier z at m = 0, to detect cycles: Brent (1980)
  ScaledReal saved_error_;
  std::uint64_t begun_ = 0, saved_next_ = 1;
  std::uint64_t& steps_;
};

}  // namespace

WideTier::WideTier(const DeepImage& image) {
  add_third_parts(image);
  add_jumps(image);
}

bool WideTier::renders(const DeepImage& image) {
  return image.place.formula.is_mandelbrot();
}

void WideTier::add_third_parts(const DeepImage& image) {
  const ReferenceOrbit& orbit = *image.orbit;
  re_rest_.resize(orbit.re.size());
  im_rest_.resize(orbit.re.size());
  const OrbitStart start(
      {BigReal(image.place.center_re, orbit.bits), BigReal(image.place.center_im, orbit.bits)});
  BigOrbit z(start.c, start.z, start.power);  // other threads have the other cores
  for (std::size_t m = 0; m < orbit.re.size(); ++m) {
    if (m > 0) z.step();
    if (ReferenceOrbit::is_tiny(orbit.re[m], orbit.im[m])) {
      tiny_.push_back(wide_complex(z.z()));
    } else {
      std::tie(re_rest_[m], im_rest_[m]) =
          z.rest({orbit.re[m], orbit.re_low[m]}, {orbit.im[m], orbit.im_low[m]});
    }
  }
}

void WideTier::add_jumps(const DeepImage& image) {
  nodes_.resize(image.orbit->re.size());
  const JumpLimits limits{.unit_exponent = image.unit_exponent,
                          .radius = std::min(2.0, image.limits.bailout)};
  const WideOrbit orbit{*this, *image.orbit};
  std::vector<std::uint64_t> places;
  const std::size_t most = image.table.entries.size() + image.table.scaled_entries.size();
  entries_.reserve(most);
  places.reserve(most);
  const auto keep = [&](std::int64_t m, const BuildEntry<WideComplex, 1>& entry) {
    ++nodes_[static_cast<std::size_t>(m)].levels;
    places.push_back(static_cast<std::uint64_t>(m));
    entries_.push_back(
        {entry.radius[0], entry.a, entry.q, entry.b, static_cast<std::uint64_t>(entry.length)});
  };
  TableBuilder<WideComplex, 1, WideOrbit, decltype(keep)>(orbit, limits, {kWideEpsilon}, keep)
      .build();
  order_by_node(nodes_, entries_, std::move(places), &Node::levels);
}

WideComplex WideTier::at(const ReferenceOrbit& orbit, std::int64_t m) const {
  const auto i = static_cast<std::size_t>(m);
  if (ReferenceOrbit::is_tiny(orbit.re[i], orbit.im[i])) {
    const auto found = std::ranges::lower_bound(orbit.tiny, m, {}, &ReferenceOrbit::Tiny::m);
    return tiny_[static_cast<std::size_t>(found - orbit.tiny.begin())];
  }
  return wide_complex({orbit.re[i], orbit.re_low[i], re_rest_[i]},
                      {orbit.im[i], orbit.im_low[i], im_rest_[i]});
}

const WideTier::Entry* WideTier::find(std::uint64_t m, const ScaledReal& size) const {
  const Node node = nodes_[m];
  for (std::uint32_t level = node.levels; level > 0;) {
    const Entry& entry = entries_[node.first + --level];
    if (size < entry.radius) return &entry;
  }
  return nullptr;
}

std::optional<CountedPixel> WideTier::count(const DeepImage& image, std::int64_t column,
                                            std::int64_t row, std::uint64_t& steps) const {
  return WideLoop(*this, image, wide_offset(image.place, column, row), steps).run();
}

}  // namespace tessera::deep
