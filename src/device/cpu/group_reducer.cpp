// Reduces groups on a CPU core: finds the group of each element, then adds a block of elements to
// the partial results.
#include "device/group_reducer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "device/cpu/cpu.hpp"
#include "device/cpu/groups/group_columns.hpp"
#include "device/cpu/groups/group_index.hpp"
#include "statistics/each_element.hpp"
#include "statistics/half.hpp"

namespace tessera::device::cpu {

namespace {

using statistics::GroupKey;

class CpuGroupReducer : public GroupReducer {
 public:
  explicit CpuGroupReducer(const statistics::GroupSpec& group_spec) : group_spec_(group_spec) {}

  void begin(const GroupScope& scope) override {
    scope_ = scope;
    all_ = {};
    index_.reset(scope.dense_first, scope.dense_count);
    all_.grow(group_spec_.spec, index_.groups());
  }

  void add(std::span<const GroupKey> keys, std::span<const std::byte> elements,
           std::span<const std::int64_t> places) override {
    statistics::with_element_type(group_spec_.spec.type, [&]<class T>(T) {
      for (std::size_t i = 0; i < keys.size(); i += kGroupBlock) {
        const std::size_t count = std::min(kGroupBlock, keys.size() - i);
        add_some<T>(keys.subspan(i, count), elements.data() + i * sizeof(T),
                    places.empty() ? places : places.subspan(i, count));
      }
    });
  }

  statistics::GroupPartials finish() override {
    statistics::GroupPartials all = sorted();
    if (all.size() > scope_.most_groups) {
      all.keep_first(scope_.most_groups);
      scope_.last = all.keys.back();
    }
    all.last = scope_.last;
    return all;
  }

 private:
  template <class T>
  void add_some(std::span<const GroupKey> keys, const std::byte* elements,
                std::span<const std::int64_t> places) {
    const std::size_t kept = choose(keys, places);
    if (group_spec_.spec.type == base::ElementType::f16) {
      add_block_of<std::uint16_t, double>(elements, kept, keys.size(), reals_,
                                          statistics::widen_half);
    } else if constexpr (std::is_floating_point_v<T>) {
      add_block_of<T, double>(elements, kept, keys.size(), reals_);
    } else if constexpr (std::is_signed_v<T>) {
      add_block_of<T, std::int64_t>(elements, kept, keys.size(), integers_);
    } else {
      add_block_of<T, std::uint64_t>(elements, kept, keys.size(), unsigned_);
    }
  }

  /// Finds the groups of the wanted keys. Returns how many they are; `chosen_` says which, unless
  /// they are all.
  std::size_t choose(std::span<const GroupKey> keys, std::span<const std::int64_t> places) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      chosen_[kept] = static_cast<std::uint16_t>(i);
      kept += keys[i] - scope_.first <= scope_.last - scope_.first ? 1 : 0;
    }
    if (kept < keys.size()) {
      for (std::size_t i = 0; i < kept; ++i) wanted_[i] = keys[chosen_[i]];
      keys = std::span(wanted_).first(kept);
    }
    index_.find(keys, groups_.data());
    if (places.empty()) return kept;
    for (std::size_t i = 0; i < kept; ++i) places_[i] = places[chosen_[i]];
    return kept;
  }

  template <class T, class X, class Widen = std::identity>
  void add_block_of(const std::byte* elements, std::size_t kept, std::size_t count,
                    std::array<X, kGroupBlock>& x, Widen widen = {}) {
    const auto load = [&](std::size_t i) {
      T element;
      std::memcpy(&element, elements + i * sizeof(T), sizeof(T));
      return static_cast<X>(widen(element));
    };
    if (kept == count) {
      for (std::size_t i = 0; i < count; ++i) x[i] = load(i);
    } else {
      for (std::size_t i = 0; i < kept; ++i) x[i] = load(chosen_[i]);
    }
    all_.grow(group_spec_.spec, index_.groups());
    const bool places = group_spec_.spec.places;
    add_block<X>(group_spec_,
                 {.groups = std::span(groups_).first(kept),
                  .x = std::span(x).first(kept),
                  .places = std::span(places_).first(places ? kept : 0)},
                 all_);
    constexpr std::size_t kAccumulator = 16;  // takes as much memory as that many groups
    if (index_.others() + kAccumulator * all_.accumulators() > most_others()) halve();
  }

  std::size_t most_others() const {
    return scope_.most_groups - std::min(scope_.most_groups, scope_.dense_count);
  }

  statistics::GroupPartials sorted() {
    const auto order = index_.sorted([&](std::uint32_t group) { return all_.elements[group] > 0; });
    statistics::GroupPartials picked = all_.pick(order);
    for (std::size_t i = 0; i < order.size(); ++i) picked.keys[i] = index_.key(order[i]);
    return picked;
  }

  /// Makes room by dropping the upper half of the groups.
  void halve() {
    all_ = sorted();
    if (all_.size() > 1) all_.keep_first(all_.size() / 2);
    scope_.last = all_.keys.back();
    scope_.dense_count = 0;
    index_.reset(all_.keys);
  }

  statistics::GroupSpec group_spec_;
  GroupScope scope_;
  GroupIndex index_;
  statistics::GroupPartials all_;  ///< by the numbers of index_; without keys
  // Of a block.
  std::array<std::uint16_t, kGroupBlock> chosen_{};
  std::array<GroupKey, kGroupBlock> wanted_{};
  std::array<std::uint32_t, kGroupBlock> groups_{};
  std::array<std::int64_t, kGroupBlock> places_{};
  std::array<double, kGroupBlock> reals_{};
  std::array<std::int64_t, kGroupBlock> integers_{};
  std::array<std::uint64_t, kGroupBlock> unsigned_{};
};

}  // namespace

std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec) {
  return std::make_unique<CpuGroupReducer>(group_spec);
}

}  // namespace tessera::device::cpu
