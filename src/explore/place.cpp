#include "explore/place.hpp"

#include <algorithm>
#include <utility>

#include "deep/exact_steps.hpp"

namespace tessera::explore {

Place moved(const Place& from, int level, std::int64_t steps_x, std::int64_t steps_y) {
  // The imaginary axis points up.
  return {.center_re = deep::moved_exactly(from.center_re, from.span, steps_x, level),
          .center_im = deep::moved_exactly(from.center_im, from.span, -steps_y, level),
          .span = deep::scaled_exactly(from.span, 1, level)};
}

Place Places::add(Place place) {
  const std::scoped_lock lock(mutex_);
  const auto known =
      std::ranges::find_if(places_, [&](const Place& one) { return one.same_as(place); });
  if (known != places_.end()) {
    places_.splice(places_.begin(), places_, known);
    return places_.front();
  }
  place.id = ++ids_;
  put(std::move(place));
  return places_.front();
}

void Places::keep(const Place& place) {
  if (find(place.id)) return;
  const std::scoped_lock lock(mutex_);
  put(place);
}

void Places::put(Place place) {
  places_.push_front(std::move(place));
  if (places_.size() > kMost) places_.pop_back();
}

std::optional<Place> Places::find(std::uint64_t id) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(places_, id, &Place::id);
  if (found == places_.end()) return std::nullopt;
  places_.splice(places_.begin(), places_, found);
  return *found;
}

}  // namespace tessera::explore
