// The images that all threads of the process compute now: their orbits and tables are made once.
#pragma once

#include <memory>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// The image of this place. One is kept: the one of the last call. Thread-safe; a call waits while
/// another one makes an image. Without smooth values or distances, an image with them may be
/// returned, which has the same counts.
std::shared_ptr<const DeepImage> prepared(const Place& place);
/// Whether prepared() has it at hand.
bool is_prepared(const Place& place);

/// From now on, images of earlier calls are kept too, within so many bytes.
void keep_images(std::uint64_t max_bytes);

/// Makes the image of an orbit that orbit_of() returned for this place, here or on another rank.
/// Other calls do not wait for it.
std::shared_ptr<const DeepImage> prepare(const Place& place,
                                         std::shared_ptr<const ReferenceOrbit> orbit);

/// Keeps no image of earlier calls: their memory is free when nobody uses them.
void forget_images();

}  // namespace tessera::deep
