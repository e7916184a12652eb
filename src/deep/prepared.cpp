#include "deep/prepared.hpp"

#include <mutex>
#include <utility>

#include "base/lru_cache.hpp"
#include "base/run.hpp"
#include "deep/memory.hpp"

namespace tessera::deep {

namespace {

/// The newest one is kept, and the others as far as there is room.
struct Images {
  std::mutex making;
  base::LruCache<const DeepImage*, const DeepImage> kept{
      0, [](const DeepImage& image) { return held_bytes(image) + bytes_of(image, MoreBits::all); }};
};

Images& images() {
  static Images all;
  return all;
}

std::shared_ptr<const DeepImage> find(const Place& place) {
  return images().kept.find_if([&](const DeepImage& image) {
    Place requested = place;
    requested.smooth = place.smooth || image.place.smooth;
    requested.distance = place.distance || image.place.distance;
    return requested == image.place;
  });
}

std::shared_ptr<const DeepImage> keep(DeepImage&& made) {
  auto image = std::make_shared<const DeepImage>(std::move(made));
  images().kept.put(image.get(), image);
  return image;
}

/// Whether both have the same reference orbit.
bool same_orbit(const Place& a, const Place& b) {
  return a.center_re == b.center_re && a.center_im == b.center_im && a.formula == b.formula &&
         a.iterations == b.iterations && orbit_bits(a) == orbit_bits(b);
}

std::shared_ptr<const ReferenceOrbit> orbit_for(const Place& place) {
  const bool wide = orbit_limits(place).wide;
  const auto same = images().kept.find_if([&](const DeepImage& image) {
    return same_orbit(image.place, place) && image.orbit->is_wide() >= wide;
  });
  if (same) return same->orbit;
  return std::make_shared<const ReferenceOrbit>(
      orbit_of(place, [](std::uint64_t) { base::throw_if_stopped("reference orbit"); }));
}

}  // namespace

std::shared_ptr<const DeepImage> prepared(const Place& place) {
  const std::scoped_lock lock(images().making);
  if (auto known = find(place)) return known;
  return keep(make_image(place, orbit_for(place)));
}

bool is_prepared(const Place& place) {
  return find(place) != nullptr;
}

std::shared_ptr<const DeepImage> prepare(const Place& place,
                                         std::shared_ptr<const ReferenceOrbit> orbit) {
  return keep(make_image(place, std::move(orbit)));
}

void keep_images(std::uint64_t max_bytes) {
  images().kept.set_max_weight(max_bytes);
}

void forget_images() {
  images().kept.clear();
}

}  // namespace tessera::deep
