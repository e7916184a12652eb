#include "explore/place.hpp"

#include <memory>

#include "deep/exact_steps.hpp"

namespace tessera::explore {

Place moved(const Place& from, int level, std::int64_t steps_x, std::int64_t steps_y,
            const plane::Matrix& m) {
  // The picture's upwards is that of the matrix.
  const std::int64_t up = -steps_y;
  return {
      .center_re = deep::moved_along(from.center_re, from.span, {m.a, steps_x}, {m.b, up}, level),
      .center_im = deep::moved_along(from.center_im, from.span, {m.c, steps_x}, {m.d, up}, level),
      .span = deep::scaled_exactly(from.span, 1, level)};
}

Place Places::add(Place place) {
  const std::scoped_lock lock(adding_);
  const auto known = places_.find_if([&](const Place& one) { return one.same_as(place); });
  if (known) return *known;
  place.id = ++ids_;
  keep(place);
  return place;
}

void Places::keep(const Place& place) {
  places_.put(place.id, std::make_shared<const Place>(place));
}

std::optional<Place> Places::find(std::uint64_t id) {
  const auto found = places_.find(id);
  return found ? std::optional(*found) : std::nullopt;
}

}  // namespace tessera::explore
