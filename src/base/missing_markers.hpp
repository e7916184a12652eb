// Elements that stand for missing ones in memory.
#pragma once

#include <cstdint>

namespace tessera::base {

/// The bits of the elements that stand for missing ones: of floats NaN that no other element has,
/// of integers values that no other element has.
struct MissingMarkers {
  std::uint64_t fill = 0;   ///< instead of _FillValue and missing_value
  std::uint64_t range = 0;  ///< instead of elements outside of what is valid
  bool has_fill = true;     ///< otherwise only the other one occurs, and `fill` is the same

  friend bool operator==(const MissingMarkers&, const MissingMarkers&) = default;
};

}  // namespace tessera::base
