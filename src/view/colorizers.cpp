#include "view/colorizers.hpp"

#include "post/color/equalize.hpp"
#include "post/color/picture.hpp"

namespace tessera::view {

namespace {

color::Colorizer colorizer_of(const color::Palette& palette, const job::ColorJob& look,
                              std::uint64_t iterations, const Histogram* histogram) {
  if (histogram) {
    return {palette, histogram->range, post::equal_phases(look, histogram->counts)};
  }
  return {palette, iterations, post::phase_of(look)};
}

}  // namespace

Colorizers::Pointer Colorizers::get(const job::ColorJob& look, std::uint64_t iterations,
                                    const Histogram* histogram) {
  // A palette file may have changed.
  const color::Palette palette = post::palette_of(look);
  const Key key{post::hash_of(palette),
                look.palette_cycle,
                look.palette_offset,
                static_cast<int>(look.palette_scale.kind),
                look.palette_scale.period,
                iterations,
                histogram ? histogram->number : 0};
  return last_.get(key, [&] {
    return std::make_shared<const color::Colorizer>(
        colorizer_of(palette, look, iterations, histogram));
  });
}

}  // namespace tessera::view
