#include "deep/prepared.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "base/run.hpp"
#include "deep/memory.hpp"

namespace tessera::deep {

namespace {

struct Kept {
  Place place;
  std::shared_ptr<const DeepImage> image;
};

struct Images {
  std::mutex mutex;
  std::list<Kept> kept;  ///< the one used last is the first
  std::uint64_t most_bytes = 0;
};

Images& images() {
  static Images all;
  return all;
}

bool serves(const Kept& one, const Place& place) {
  Place wanted = place;
  wanted.smooth = place.smooth || one.place.smooth;
  wanted.distance = place.distance || one.place.distance;
  return wanted == one.place;
}

/// Whether both have the same reference orbit.
bool same_orbit(const Place& a, const Place& b) {
  return a.center_re == b.center_re && a.center_im == b.center_im && a.formula == b.formula &&
         a.iterations == b.iterations && orbit_bits(a) == orbit_bits(b);
}

/// The newest one is kept, and the others as far as there is room.
void keep(Images& all, Kept fresh) {
  all.kept.push_front(std::move(fresh));
  std::uint64_t bytes = 0;
  const auto first = all.kept.begin();
  const auto beyond = std::find_if(first, all.kept.end(), [&](const Kept& one) {
    bytes += held_bytes(*one.image) + bytes_of(*one.image, MoreBits::all);
    return &one != &*first && bytes > all.most_bytes;
  });
  all.kept.erase(beyond, all.kept.end());
}

std::list<Kept>::iterator find(Images& all, const Place& place) {
  return std::find_if(all.kept.begin(), all.kept.end(),
                      [&](const Kept& one) { return serves(one, place); });
}

std::shared_ptr<const ReferenceOrbit> orbit_for(const Images& all, const Place& place) {
  for (const Kept& one : all.kept) {
    if (same_orbit(one.place, place)) return one.image->orbit;
  }
  return std::make_shared<const ReferenceOrbit>(
      orbit_of(place, [](std::uint64_t) { base::throw_if_stopped("reference orbit"); }));
}

}  // namespace

std::shared_ptr<const DeepImage> prepared(const Place& place) {
  Images& all = images();
  const std::scoped_lock lock(all.mutex);
  const auto known = find(all, place);
  if (known == all.kept.end()) {
    keep(all, {place, std::make_shared<DeepImage>(make_image(place, orbit_for(all, place)))});
  } else {
    all.kept.splice(all.kept.begin(), all.kept, known);
  }
  return all.kept.front().image;
}

bool is_prepared(const Place& place) {
  Images& all = images();
  const std::scoped_lock lock(all.mutex);
  return find(all, place) != all.kept.end();
}

std::shared_ptr<const DeepImage> prepare(const Place& place,
                                         std::shared_ptr<const ReferenceOrbit> orbit) {
  auto image = std::make_shared<DeepImage>(make_image(place, std::move(orbit)));
  Images& all = images();
  const std::scoped_lock lock(all.mutex);
  keep(all, {place, image});
  return image;
}

void keep_images(std::uint64_t most_bytes) {
  Images& all = images();
  const std::scoped_lock lock(all.mutex);
  all.most_bytes = most_bytes;
}

void forget_images() {
  Images& all = images();
  const std::scoped_lock lock(all.mutex);
  all.kept.clear();
}

}  // namespace tessera::deep
