// The image that all threads of the process compute now: its orbit and table are made once.
#pragma once

#include <memory>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// The image of this place. One is kept: the one of the last call. Thread-safe; a call waits while
/// another one makes an image. Without smooth values, an image with them may be returned, which has
/// the same counts.
std::shared_ptr<const DeepImage> prepared(const Place& place);

/// Makes the image of an orbit that orbit_of() returned for this place, here or on another rank.
std::shared_ptr<const DeepImage> prepare(const Place& place, ReferenceOrbit orbit);

/// Bytes that the image holds, or may hold later.
std::uint64_t memory_bytes(const DeepImage& image);
/// About as many for each iteration of the reference orbit.
inline constexpr std::uint64_t kBytesPerIteration = 180;

}  // namespace tessera::deep
