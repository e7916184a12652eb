// Reduces groups on a CPU core: finds the group of each element, then adds a block of elements to
// the partial results.
#include "device/group_reducer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "device/cpu/cpu.hpp"
#include "device/cpu/groups/group_columns.hpp"
#include "device/cpu/groups/group_index.hpp"
#include "device/cpu/groups/group_partitions.hpp"
#include "statistics/each_element.hpp"
#include "statistics/half.hpp"

namespace tessera::device::cpu {

namespace {

using statistics::GroupKey;

class CpuGroupReducer : public GroupReducer {
 public:
  CpuGroupReducer(const statistics::GroupSpec& group_spec, std::string_view set_name)
      : group_spec_(group_spec), columns_{group_spec, group_terms_of(set_name)} {}

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
  /// Beyond these, partial results are so far from the core that sorting elements takes less time.
  static constexpr std::size_t kDirectGroups = std::size_t{256} << 10;

  /// Elements that wait for each group, so that partial results are read and written seldom. More
  /// would need fresh memory.
  static constexpr std::size_t kWaitingEach = 4;
  static constexpr std::size_t kLeastWaiting = std::size_t{1} << 20;

  /// Elements as the type that has all their values.
  template <class X>
  struct Typed {
    std::array<X, kGroupBlock> x{};
    GroupPartitions<X> waiting;
  };

  template <class T>
  void add_some(std::span<const GroupKey> keys, const std::byte* elements,
                std::span<const std::int64_t> places) {
    const std::size_t kept = choose(keys, places);
    if (group_spec_.spec.type == base::ElementType::f16) {
      add_block_of<std::uint16_t, double>(elements, kept, keys.size(), statistics::widen_half);
    } else if constexpr (std::is_floating_point_v<T>) {
      add_block_of<T, double>(elements, kept, keys.size());
    } else if constexpr (std::is_signed_v<T>) {
      add_block_of<T, std::int64_t>(elements, kept, keys.size());
    } else {
      add_block_of<T, std::uint64_t>(elements, kept, keys.size());
    }
    constexpr std::size_t kAccumulator = 16;  // takes as much memory as that many groups
    if (index_.others() + kAccumulator * all_.accumulators() > most_others()) halve();
  }

  /// Finds the groups of the wanted keys. Returns how many they are; `chosen_` says which, unless
  /// they are all.
  std::size_t choose(std::span<const GroupKey> keys, std::span<const std::int64_t> places) {
    if (columns_.set.number(keys, scope_.dense_first, scope_.dense_count, groups_.data())) {
      std::ranges::copy(places, places_.begin());
      return keys.size();
    }
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
                    Widen widen = {}) {
    std::array<X, kGroupBlock>& x = std::get<Typed<X>>(typed_).x;
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
    const bool places = group_spec_.spec.places;
    add_or_wait<X>({.groups = std::span(groups_).first(kept),
                    .x = std::span(x).first(kept),
                    .places = std::span(places_).first(places ? kept : 0)});
  }

  /// Many groups are not in the cache together, so their elements wait for neighbours.
  template <class X>
  void add_or_wait(const GroupedBlock<X>& block) {
    if (index_.groups() <= kDirectGroups) {
      all_.grow(group_spec_.spec, index_.groups());
      return add_block<X>(columns_, block, all_);
    }
    GroupPartitions<X>& waiting = std::get<Typed<X>>(typed_).waiting;
    waiting.add(block);
    const std::size_t useful = std::max(kLeastWaiting, kWaitingEach * index_.groups());
    if (waiting.elements() >= std::min(useful, scope_.most_waiting)) add_waiting();
  }

  void add_waiting() {
    all_.grow(group_spec_.spec, index_.groups());
    const auto add_typed = [this]<class X>(Typed<X>& typed) {
      if (typed.waiting.empty()) return;
      typed.waiting.flush([this](GroupedBlock<X> block) { add_block<X>(columns_, block, all_); });
    };
    std::apply([&](auto&... typed) { (add_typed(typed), ...); }, typed_);
  }

  std::size_t most_others() const {
    return scope_.most_groups - std::min(scope_.most_groups, scope_.dense_count);
  }

  statistics::GroupPartials sorted() {
    add_waiting();
    const auto order = index_.sorted([&](std::uint32_t group) { return all_.elements[group] > 0; });
    statistics::GroupPartials picked;
    if (std::ranges::is_sorted(order)) {
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

  /// Makes room by dropping the upper half of the groups.
  void halve() {
    all_ = sorted();
    if (all_.size() > 1) all_.keep_first(all_.size() / 2);
    scope_.last = all_.keys.back();
    scope_.dense_count = 0;
    index_.reset(all_.keys);
  }

  statistics::GroupSpec group_spec_;
  GroupColumnsSpec columns_;
  GroupScope scope_;
  GroupIndex index_;
  statistics::GroupPartials all_;  ///< by the numbers of index_; without keys
  // Of a block.
  std::array<std::uint16_t, kGroupBlock> chosen_{};
  std::array<GroupKey, kGroupBlock> wanted_{};
  std::array<std::uint32_t, kGroupBlock> groups_{};
  std::array<std::int64_t, kGroupBlock> places_{};
  std::tuple<Typed<double>, Typed<std::int64_t>, Typed<std::uint64_t>> typed_;
};

}  // namespace

std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec,
                                                 std::string_view set_name) {
  return std::make_unique<CpuGroupReducer>(group_spec, set_name);
}

}  // namespace tessera::device::cpu
