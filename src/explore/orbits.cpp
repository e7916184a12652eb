#include "explore/orbits.hpp"

#include <algorithm>
#include <utility>

namespace tessera::explore {
namespace {

/// An orbit has so many bits more than its place needs: it serves as many levels below.
constexpr std::int64_t kSpareBits = 32;
constexpr std::uint64_t kMinSpareIterations = 1000;

std::size_t bytes_of(const CachedOrbit& kept) {
  const deep::ReferenceOrbit& orbit = *kept.orbit;
  return orbit.re.size() * 4 * sizeof(double) + orbit.wide.size() * sizeof(deep::WideComplex) +
         orbit.tiny.size() * sizeof(deep::ReferenceOrbit::Tiny);
}

std::uint64_t with_spare(std::uint64_t iterations) {
  return iterations + std::max(kMinSpareIterations, iterations / 4);
}

using OrbitPointer = std::shared_ptr<const deep::ReferenceOrbit>;

/// The first elements of an orbit, as if it had been computed with this limit.
OrbitPointer beginning(const OrbitPointer& orbit, std::uint64_t iterations) {
  const std::size_t length = iterations + 1;
  if (orbit->re.size() <= length) return orbit;
  deep::ReferenceOrbit part = *orbit;
  const auto shorten = [&](auto& list) {
    if (!list.empty()) list.resize(length);
  };
  deep::ReferenceOrbit::for_each_list(shorten, part);
  std::erase_if(part.tiny, [&](const auto& tiny) { return tiny.m > part.length(); });
  part.escaped = part.periodic = part.exhausted = false;
  return std::make_shared<const deep::ReferenceOrbit>(std::move(part));
}

}  // namespace

Orbits::Orbits(std::size_t max_bytes) : kept_(max_bytes, bytes_of) {}

OrbitPointer Orbits::get(const deep::Place& place, const deep::OrbitProgress& progress) {
  if (place.formula != deep::Formula{}) {
    return std::make_shared<const deep::ReferenceOrbit>(deep::orbit_of(place, progress));
  }
  if (const auto known = find(place)) return beginning(known->orbit, place.iterations);
  CachedOrbit kept{place.center_re,
                   place.center_im,
                   deep::orbit_bits(place) + kSpareBits,
                   with_spare(place.iterations),
                   {}};
  deep::OrbitLimits limits = deep::orbit_limits(place);
  limits.iterations = kept.iterations;
  limits.nearest_pixel = limits.nearest_pixel * kernels::ScaledReal(1.0, -kSpareBits);
  kept.orbit = std::make_shared<deep::ReferenceOrbit>(
      deep::compute_orbit(deep::orbit_start(place, kept.bits), limits, progress));
  OrbitPointer orbit = beginning(kept.orbit, place.iterations);
  keep(std::move(kept));
  return orbit;
}

std::shared_ptr<const CachedOrbit> Orbits::find(const deep::Place& place) {
  const std::int64_t bits = deep::orbit_bits(place);
  return kept_.find_if([&](const CachedOrbit& one) {
    return one.center_re == place.center_re && one.center_im == place.center_im &&
           one.bits >= bits &&
           (one.iterations >= place.iterations || one.orbit->escaped || one.orbit->periodic);
  });
}

void Orbits::keep(CachedOrbit kept) {
  const auto shared = std::make_shared<const CachedOrbit>(std::move(kept));
  kept_.put(shared.get(), shared);
}

}  // namespace tessera::explore
