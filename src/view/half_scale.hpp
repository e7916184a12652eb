// Values of an image at half the scale. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/element.hpp"
#include "base/geometry.hpp"

namespace tessera::view {

/// Values of the part `px` of a level, in rows of `stride` values.
template <class Bytes>
struct LevelPart {
  base::PixelRect px;
  std::int64_t stride = 0;
  Bytes* values = nullptr;
};

/// The value of a missing pixel at a smaller scale. No rendered pixel has it there: a count that is
/// equal to it is shown one higher. Files have 0 instead, which is a count, too: what is missing
/// there, whole tiles, is known by their table.
template <class T>
inline constexpr T kMissing = static_cast<T>(std::numeric_limits<T>::max() - 1);
template <>
inline constexpr float kMissing<float> = std::numeric_limits<float>::quiet_NaN();

template <class T>
bool is_missing(T value) {
  return value == kMissing<T> || value != value;
}

/// A rendered value as a smaller scale has it.
template <class T>
T present(T value) {
  return value == kMissing<T> ? std::numeric_limits<T>::max() : value;
}

void fill_missing(std::byte* values, std::size_t count, base::ElementType type);

/// Sets the values of `coarse`, a part of level `level`, that come from `fine`, a part of the level
/// below, which is `fine_px` in size. A value stands for 2 x 2 finer ones and is one of them,
/// chosen by a hash of its place and level: so counts stay counts, values of the inside stay
/// inside, and an average of colours over some of them estimates that over all pixels without bias,
/// in any palette.
void take_half(int level, const base::ImageSize& fine_px, const LevelPart<const std::byte>& fine,
               const LevelPart<std::byte>& coarse, base::ElementType type);

}  // namespace tessera::view
