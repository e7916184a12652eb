// Maps values to colours by one table over the logarithm of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/element.hpp"
#include "color/cycle_colors.hpp"
#include "color/palette.hpp"
#include "color/pixel.hpp"

namespace tessera::color {

/// How often the palette repeats while the value doubles, or after how much of another scale, and
/// where in the palette 0 begins.
struct Phase {
  double cycles_per_octave = 0.35;
  double offset = 0;
  Scale scale = Scale::log;
  double period = 0;  ///< of another scale
};

/// Whether a count, or a smooth value, is that of a pixel inside: N. An orbit that escapes in one
/// of its last steps has a smooth value above N.
template <class T>
bool is_inside(T value, std::uint64_t iterations) {
  if constexpr (std::is_floating_point_v<T>)
    return value == static_cast<T>(iterations);
  else
    return value >= iterations;
}

/// The values that have steps of a table of their own: from `least` on, counts below `iterations`,
/// smooth values to somewhat above.
struct ValueRange {
  ValueRange(std::uint64_t limit, std::uint64_t first = 0) : iterations(limit), least(first) {}

  std::uint64_t iterations;
  std::uint64_t least;
};

/// Colours counts or smooth values. Immutable, so threads can share it.
///
/// The phase of a colour is a function of log2(value - least + 1), so that every zoom level shows
/// structure. A table has 1024 steps for each doubling of value - least + 1. A count has the colour
/// of its step, as 8 bits hold it if `bytes`. The colour of a smooth value is interpolated between
/// the beginnings of its step and of the next one. Another scale, and more cycles an octave than a
/// table can show, have CycleColors instead.
class Colorizer {
 public:
  /// `iterations` is N. Pixels inside get the palette's inside colour.
  Colorizer(const Palette& palette, std::uint64_t iterations, const Phase& phase = {},
            bool bytes = true);
  /// The same with the phase of each beginning of a step, steps_of(range) + 1 of them.
  Colorizer(const Palette& palette, ValueRange range, std::span<const double> phases,
            bool bytes = true);

  /// `values`: n elements of `type`, at any address.
  void colorize(const std::byte* values, base::ElementType type, std::span<Pixel> pixels) const;

  /// Counts as 8-bit RGB, three bytes each; a Colorizer of bytes.
  void colorize_rgb(const std::byte* counts, base::ElementType type, std::size_t n,
                    std::byte* rgb) const;

  /// The colour of pixels inside.
  const Pixel& inside() const { return table_.back(); }

  static std::size_t memory_bytes(std::uint64_t iterations);

 private:
  Pixel color_of(std::uint16_t count) const;
  template <class Count>
  Pixel color_of(Count count) const;
  Pixel color_of(float value) const;
  Pixel smooth_color(float value) const;
  Pixel cycle_color(double count) const;

  /// Colours where each step begins, then where the last one ends, then the inside colour.
  std::vector<Pixel> table_;
  /// The same for counts.
  std::vector<Pixel> by_step_;
  /// Indexed by a 16-bit count; empty for a larger N.
  std::vector<Pixel> by_count_;
  /// The same two as 8-bit RGB, red lowest; empty without bytes.
  std::vector<std::uint32_t> rgb_by_step_, rgb_by_count_;
  ValueRange range_;
  std::optional<CycleColors> cycle_;
  bool bytes_;
};

/// Numbers of values of pixels outside in each step of the table. Not thread-safe.
class StepCounts {
 public:
  explicit StepCounts(ValueRange range);

  void add(const std::byte* values, base::ElementType type, std::size_t n);
  std::span<std::uint64_t> counts() { return counts_; }
  /// Phases for Colorizer with which every colour of the palette has the same number of pixels:
  /// `cycles` times the share of values below the beginning of a step, plus `offset`.
  std::vector<double> phases(double cycles, double offset) const;
  /// Where the lowest value's step begins, if a step there has several counts; else 0. A table
  /// from there on tells high counts apart that are close together, as those of deep images.
  std::uint64_t coarse_least() const;

 private:
  std::vector<std::uint64_t> counts_;
  ValueRange range_;
};

/// Number of steps that the values have.
std::size_t steps_of(ValueRange range);

}  // namespace tessera::color
