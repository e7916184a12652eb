#include "device/groups/found_groups.hpp"

#include <algorithm>
#include <utility>

namespace tessera::device {

void FoundGroups::begin(const GroupScope& scope) {
  scope_ = scope;
  all_ = {};
  index_.reset(scope.dense_first, scope.dense_count);
}

std::size_t FoundGroups::choose(std::span<const statistics::GroupKey> keys, std::uint16_t* chosen,
                                std::uint32_t* groups) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    chosen[kept] = static_cast<std::uint16_t>(i);
    kept += keys[i] - scope_.first <= scope_.last - scope_.first ? 1 : 0;
  }
  if (kept < keys.size()) {
    for (std::size_t i = 0; i < kept; ++i) requested_[i] = keys[chosen[i]];
    keys = std::span(requested_).first(kept);
  }
  index_.find(keys, groups);
  return kept;
}

statistics::GroupPartials& FoundGroups::partials() {
  all_.grow(spec_, index_.groups());
  return all_;
}

bool FoundGroups::may_defer(std::size_t outside) const {
  const std::size_t known =
      std::max({all_.sum.rest.size(), all_.absolute.rest.size(), all_.squares.rest.size()});
  const std::size_t groups = std::min(outside, count() - known);
  return groups < kMaxOutside || !are_enough_with(groups * all_.accumulator_bytes_each(spec_));
}

bool FoundGroups::are_enough_with(std::size_t more_bytes) const {
  const std::size_t max_others =
      scope_.max_groups - std::min(scope_.max_groups, scope_.dense_count);
  const std::size_t accumulators = all_.accumulator_bytes() + more_bytes;
  return index_.others() + accumulators / bytes_each_ > max_others;
}

statistics::GroupPartials FoundGroups::finish() {
  partials();
  const auto order = index_.sorted([&](std::uint32_t group) { return all_.elements[group] > 0; });
  statistics::GroupPartials picked;
  if (order.size() == all_.size() && index_.others() == 0) {
    picked = std::move(all_);
  } else if (std::ranges::is_sorted(order)) {
    picked = std::move(all_);
    picked.keep(order);
  } else {
    picked = all_.pick(order);
  }
  all_ = {};
  picked.keys.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) picked.keys[i] = index_.key(order[i]);
  return picked;
}

}  // namespace tessera::device
