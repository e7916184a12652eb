#include "view/colorizers.hpp"

#include <algorithm>

#include "post/color/equalize.hpp"
#include "post/color/picture.hpp"

namespace tessera::view {

namespace {

color::Colorizer colorizer_of(const job::ColorJob& look, std::uint64_t iterations,
                              const Histogram* histogram) {
  const color::Palette palette = post::palette_of(look);
  if (histogram) {
    return {palette, histogram->range, post::equal_phases(look, histogram->counts)};
  }
  color::Phase phase{.offset = look.palette_offset};
  if (look.palette_cycle > 0) phase.cycles_per_octave = look.palette_cycle;
  return {palette, iterations, phase};
}

}  // namespace

Colorizers::Pointer Colorizers::get(const job::ColorJob& look, std::uint64_t iterations,
                                    const Histogram* histogram) {
  const Key key{look.palette, look.palette_cycle, look.palette_offset,
                look.inside,  iterations,         histogram ? histogram->number : 0};
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(last_, key, [](const auto& one) { return one.first; });
  if (found != last_.end()) {
    last_.splice(last_.begin(), last_, found);
    return found->second;
  }
  last_.emplace_front(
      key, std::make_shared<const color::Colorizer>(colorizer_of(look, iterations, histogram)));
  if (last_.size() > most_) last_.pop_back();
  return last_.front().second;
}

}  // namespace tessera::view
