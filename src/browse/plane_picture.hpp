// Pictures of a plane: tiles of 256 x 256 pixels at scales of powers of two.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "browse/data_palettes.hpp"
#include "browse/plane_scales.hpp"
#include "view/http/target.hpp"

namespace tessera::browse {

/// How numbers become colours: `low` is the first colour of the palette, `high` the last one.
struct DataLook {
  const DataPalette* palette = nullptr;
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  bool reversed = false;
};

/// The parameters palette, low, high, scale (linear or log) and reversed (true). Throws HttpError
/// 400.
DataLook data_look_of(const view::Target& target);

/// Levels of a plane of that size: the last one is a single picture.
int picture_levels(const base::ImageSize& size);

/// A PNG. Pixels beyond the plane and missing elements are transparent.
base::Bytes plane_png(const PlaneScales& scales, int level, std::int64_t x, std::int64_t y,
                      const DataLook& look);

}  // namespace tessera::browse
