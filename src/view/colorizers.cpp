#include "view/colorizers.hpp"

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
  return last_.get(key, [&] {
    return std::make_shared<const color::Colorizer>(colorizer_of(look, iterations, histogram));
  });
}

}  // namespace tessera::view
