// Reference orbits of the latest places.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/lru_cache.hpp"
#include "deep/deep_image.hpp"

namespace tessera::explore {

/// The orbit of a centre.
struct CachedOrbit {
  std::string center_re, center_im;
  std::int64_t bits = 0;  ///< bits of its numbers; it serves places that need up to as many
  std::uint64_t iterations = 0;
  std::shared_ptr<const deep::ReferenceOrbit> orbit;
};

/// Any thread may use it.
class Orbits {
 public:
  explicit Orbits(std::size_t max_bytes);

  /// The orbit of the place: the beginning of a kept orbit that serves it, or else computed.
  /// `progress` may throw to end the computation.
  std::shared_ptr<const deep::ReferenceOrbit> get(const deep::Place& place,
                                                  const deep::OrbitProgress& progress);
  /// A kept orbit of the same centre with enough bits and iterations; null if there is none.
  std::shared_ptr<const CachedOrbit> find(const deep::Place& place);
  void keep(CachedOrbit kept);

 private:
  base::LruCache<const CachedOrbit*, const CachedOrbit> kept_;
};

}  // namespace tessera::explore
