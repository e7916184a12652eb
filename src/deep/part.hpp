// The place of a part of an image, in decimals.
#pragma once

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// The place of `region`, in pixels of the image of `place`: its centre to 10^-20 of a pixel, its
/// width to 30 digits.
Place part_of(const Place& place, const base::PixelRect& region);

}  // namespace tessera::deep
