// Squares as pictures.
#pragma once

#include "base/bytes.hpp"
#include "explore/square.hpp"
#include "job/image/color_job.hpp"
#include "view/colorizers.hpp"

namespace tessera::explore {

/// Any thread may use it.
class SquarePictures {
 public:
  /// The PNG file of a square, with the pixels that `tessera color` would make of its values.
  base::Bytes png(const SquareKey& key, const SquareValues& values, const job::ColorJob& look);

 private:
  /// For the palettes and iterations of some viewers and levels.
  static constexpr std::size_t kMaxColorizers = 48;
  view::Colorizers colorizers_{kMaxColorizers};
};

}  // namespace tessera::explore
