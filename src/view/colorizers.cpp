#include "view/colorizers.hpp"

#include <algorithm>

#include "post/color/picture.hpp"

namespace tessera::view {

Colorizers::Pointer Colorizers::get(const job::ColorJob& look, std::uint64_t iterations) {
  const Key key{look.palette, look.palette_cycle, look.palette_offset, look.inside, iterations};
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(last_, key, [](const auto& one) { return one.first; });
  if (found != last_.end()) {
    last_.splice(last_.begin(), last_, found);
    return found->second;
  }
  color::Phase phase{.offset = look.palette_offset};
  if (look.palette_cycle > 0) phase.cycles_per_octave = look.palette_cycle;
  last_.emplace_front(
      key, std::make_shared<const color::Colorizer>(post::palette_of(look), iterations, phase));
  if (last_.size() > most_) last_.pop_back();
  return last_.front().second;
}

}  // namespace tessera::view
