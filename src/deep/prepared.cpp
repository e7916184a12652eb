#include "deep/prepared.hpp"

#include <mutex>
#include <utility>

#include "base/stop_request.hpp"

namespace tessera::deep {

namespace {

struct Current {
  std::mutex mutex;
  Place place;
  std::shared_ptr<const DeepImage> image;
};

Current& current() {
  static Current one;
  return one;
}

bool serves(const Current& now, const Place& place) {
  if (!now.image) return false;
  Place wanted = place;
  wanted.smooth = place.smooth || now.place.smooth;
  return wanted == now.place;
}

/// Whether both have the same reference orbit.
bool same_orbit(const Place& a, const Place& b) {
  return a.center_re == b.center_re && a.center_im == b.center_im && a.iterations == b.iterations &&
         orbit_bits(a) == orbit_bits(b);
}

std::shared_ptr<const DeepImage> keep(Current& now, const Place& place, ReferenceOrbit orbit) {
  now.image = std::make_shared<DeepImage>(make_image(place, std::move(orbit)));
  now.place = place;
  return now.image;
}

ReferenceOrbit orbit_for(const Current& now, const Place& place) {
  if (now.image && same_orbit(now.place, place)) return now.image->orbit;
  return orbit_of(place, [](std::uint64_t) { base::throw_if_stopped("reference orbit"); });
}

template <class T>
std::uint64_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

std::shared_ptr<const DeepImage> prepared(const Place& place) {
  Current& now = current();
  const std::scoped_lock lock(now.mutex);
  if (serves(now, place)) return now.image;
  return keep(now, place, orbit_for(now, place));
}

std::shared_ptr<const DeepImage> prepare(const Place& place, ReferenceOrbit orbit) {
  Current& now = current();
  const std::scoped_lock lock(now.mutex);
  return keep(now, place, std::move(orbit));
}

/// With the two tables of 106 bits, which are made when a pixel needs them.
std::uint64_t memory_bytes(const DeepImage& image) {
  return 4 * bytes_of(image.orbit.re) + bytes_of(image.orbit.tiny) + bytes_of(image.table.nodes) +
         bytes_of(image.table.entries) + image.table.nodes.size() * 2 * sizeof(PreciseTable::Node) +
         image.table.entries.size() * 2 * sizeof(PreciseTable::Entry);
}

}  // namespace tessera::deep
