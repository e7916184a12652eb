#include "plan/cuts.hpp"

#include <algorithm>

namespace tessera::plan {

Cuts::Cuts(const std::vector<std::int64_t>& lengths, std::int64_t each) : each_(each) {
  std::int64_t first = 0;
  for (const std::int64_t length : lengths) {
    if (length == 0) continue;
    stretches_.push_back({first, length, count_});
    first += length;
    count_ += (length + each - 1) / each;
    longest_ = std::max(longest_, std::min(each, length));
  }
}

Cuts::Cut Cuts::cut(std::int64_t number) const {
  const auto behind =
      std::ranges::upper_bound(stretches_, number, std::ranges::less(), &Stretch::first_cut);
  const Stretch& stretch = *(behind - 1);
  const std::int64_t place = (number - stretch.first_cut) * each_;
  return {stretch.first + place, std::min(each_, stretch.length - place)};
}

}  // namespace tessera::plan
