// Colours by a palette that repeats whenever the value, its logarithm or a root of it has grown by
// a period.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "color/palette.hpp"
#include "color/pixel.hpp"

namespace tessera::color {

/// The palette advances with the logarithm of the value, the value, or a root of it.
enum class Scale { log, linear, sqrt, cbrt };

class CycleColors {
 public:
  /// `period`: of the scaled value. `offset`: the phase of 0, in cycles.
  CycleColors(const Palette& palette, Scale scale, double period, double offset)
      : scale_(scale), period_(period), offset_(offset - std::floor(offset)) {
    for (std::uint32_t i = 0; i <= kSteps; ++i) {
      const auto [r, g, b] = deep_color_at(palette, static_cast<double>(i % kSteps) / kSteps);
      table_.push_back({{r, g, b, kFull}});
    }
  }

  /// Between the two nearest of kSteps colours of the cycle.
  Pixel at(double value) const {
    // A tiny period of a large value is no number of cycles.
    const double whole = scaled(value) / period_;
    const double cycles = (std::isfinite(whole) ? whole : 0) + offset_;
    const double place = (cycles - std::floor(cycles)) * kSteps;
    const auto step = static_cast<std::uint32_t>(place) % kSteps;
    const double share = place - std::floor(place);
    const Pixel& from = table_[step];
    const Pixel& to = table_[step + 1];
    Pixel pixel{{0, 0, 0, kFull}};
    for (std::size_t i = 0; i < 3; ++i) {
      pixel.channel[i] = static_cast<std::uint16_t>(
          std::lround(from.channel[i] + share * (to.channel[i] - from.channel[i])));
    }
    return pixel;
  }

  /// Colours in a cycle: more than 8 bits a channel can show.
  // crossed by: RepeatAfterAPeriodOfTheScaledValue
  static constexpr std::uint32_t kSteps = 1U << 14;

 private:
  /// A smooth value is negative far outside the set.
  double scaled(double value) const {
    switch (scale_) {
      case Scale::log:
        return std::log2(std::fmax(value, 0.0) + 1);
      case Scale::sqrt:
        return std::sqrt(std::fmax(value, 0.0));
      case Scale::cbrt:
        return std::cbrt(std::fmax(value, 0.0));
      default:
        return value;
    }
  }

  Scale scale_;
  double period_, offset_;
  std::vector<Pixel> table_;  ///< kSteps + 1 colours
};

}  // namespace tessera::color
