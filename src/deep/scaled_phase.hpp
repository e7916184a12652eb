// Steps of a pixel while its difference from the reference is below f64's range: a few for each
// pixel.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "deep/jump_table.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// The longest jump from m with |t| = size among entries within f64's range.
template <class Number, class Table>
std::optional<ScaledEntry<Number>> find_entry(const Table& table, std::int64_t m,
                                              const kernels::ScaledReal& size) {
  const auto& node = table.nodes[static_cast<std::size_t>(m)];
  const kernels::ScaledReal size2 = size * size;
  for (std::uint32_t level = node.levels; level-- > 0;) {
    const auto& e = table.entries[node.first + level];
    if (!(size2 < kernels::ScaledReal(e.radius2))) continue;
    return ScaledEntry<Number>{{},
                               kernels::normalized<Number>(e.a_re, e.a_im, 0),
                               kernels::normalized<Number>(e.q_re, e.q_im, 0),
                               kernels::normalized<Number>(e.b_re, e.b_im, 0),
                               static_cast<std::int64_t>(e.length)};
  }
  return std::nullopt;
}

/// The loop of kernels/deep/advance.h with scaled numbers. A Tier has the types Number and Pixel,
/// the reference orbit z(m), the entries find(m, size), and the members limits, unit_exponent and
/// rounding.
template <class Tier>
class ScaledPhase {
 public:
  using Pixel = typename Tier::Pixel;
  using Number = typename Tier::Number;
  using Complex = kernels::ScaledComplex<Number>;
  using ScaledReal = kernels::ScaledReal;

  ScaledPhase(const Tier& tier, Pixel& pixel)
      : tier_(tier),
        pixel_(pixel),
        z_(kernels::normalized(pixel.x, pixel.y, 0)),
        error_(pixel.error),
        c_(kernels::normalized(pixel.c_re, pixel.c_im, 0)),
        plain_c_(c_) {
    plain_c_.e += tier.image.unit_exponent;
  }

  /// False when the pixel is done; otherwise z is within f64's range.
  bool run() {
    while (true) {
      const Number x = kernels::part_value(z_.re, z_.e);
      const Number y = kernels::part_value(z_.im, z_.e);
      if (std::abs(kernels::leading(x)) >= TS_DEEP_SMALL_Z ||
          std::abs(kernels::leading(y)) >= TS_DEEP_SMALL_Z) {
        pixel_.x = x;
        pixel_.y = y;
        pixel_.error = error_.value();
        return true;
      }
      if (!step()) return false;
      ++pixel_.scaled_steps;
    }
  }

 private:
  bool step() {
    const auto m = static_cast<std::int64_t>(pixel_.m);
    const Complex w = twice(tier_.z(m)) + z_;
    const Complex t = z_ * w;
    ScaledReal growth = magnitude(w + z_);
    Complex bc = plain_c_;
    Complex next;
    std::int64_t length = 1;
    if (const auto entry = tier_.find(m, magnitude(t))) {
      const Complex qt = entry->q * t;
      const Complex f = entry->a + qt;
      growth = growth * magnitude(f + qt);
      bc = entry->b * c_;
      next = t * f + bc;
      length = entry->length;
    } else {
      next = t + bc;
    }
    if (length >= static_cast<std::int64_t>(tier_.limits.limit - pixel_.n)) return false;
    z_ = next;
    error_ = growth * error_ + ScaledReal(2 * tier_.rounding) * (magnitude(z_) + magnitude(bc));
    pixel_.m += static_cast<std::uint64_t>(length);
    pixel_.n += static_cast<std::uint32_t>(length);
    return test();
  }

  /// So small a z escapes only with the reference. A smooth value needs later steps, which are in
  /// f64's range.
  bool test() {
    const Complex full = tier_.z(static_cast<std::int64_t>(pixel_.m)) + z_;
    const double x = kernels::leading(kernels::part_value(full.re, full.e));
    const double y = kernels::leading(kernels::part_value(full.im, full.e));
    if (std::fma(x, x, y * y) > tier_.limits.bailout2) {
      if (pixel_.count == tier_.limits.limit) pixel_.count = pixel_.n;
      if (tier_.limits.want_smooth == 0) return false;
    }
    if (magnitude(full) < magnitude(z_) || pixel_.m >= tier_.limits.last) {
      z_ = full;
      pixel_.m = 0;
    }
    return true;
  }

  const Tier& tier_;
  Pixel& pixel_;
  Complex z_;
  ScaledReal error_;
  Complex c_;  ///< in the unit of the table
  Complex plain_c_;
};

}  // namespace tessera::deep
