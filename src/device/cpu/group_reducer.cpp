// Reduces groups on a CPU core: finds the group of each element, then adds a block of elements to
// the partial results.
#include "device/group_reducer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "base/element.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cpu/cpu_target.hpp"
#include "device/cpu/groups/group_cells.hpp"
#include "device/cpu/groups/group_columns.hpp"
#include "device/cpu/groups/group_partitions.hpp"
#include "device/groups/found_groups.hpp"
#include "statistics/half.hpp"

namespace tessera::device::cpu {

namespace {

using statistics::GroupKey;

class CpuGroupReducer : public GroupReducer {
  static_assert(kGroupBlock <= FoundGroups::kMaxKeys);

 public:
  CpuGroupReducer(const statistics::GroupSpec& group_spec, const CpuTarget& target)
      : group_spec_(group_spec),
        columns_{group_spec, target.groups},
        found_(group_spec.spec),
        in_cells_(GroupCells::is_full(group_spec.spec)),
        cells_(columns_) {}

  void begin(const GroupScope& scope) override { found_.begin(scope); }

  std::size_t add(std::span<const GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> places) override {
    std::size_t added = 0;
    base::with_element_type(group_spec_.spec.type, [&]<class T>(T) {
      while (added < keys.size() && !found_.is_full()) {
        const std::size_t count = std::min(kGroupBlock, keys.size() - added);
        add_some<T>(keys.subspan(added, count), elements.data() + added * sizeof(T),
                    places.empty() ? places : places.subspan(added, count));
        added += count;
      }
    });
    return added;
  }

  statistics::GroupPartials finish() override {
    add_waiting();
    cells_.release();
    return found_.finish();
  }

 private:
  /// Beyond these, partial results are so far from the core that sorting elements takes less time.
  // crossed by: of_so_many_groups_that_elements_wait
  static constexpr std::size_t kDirectGroups = std::size_t{256} << 10;

  /// Elements that wait for each group, so that partial results are read and written seldom. More
  /// would need fresh memory.
  static constexpr std::size_t kWaitingEach = 4;
  // not crossed: memory only
  static constexpr std::size_t kMinWaiting = std::size_t{1} << 20;

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
    using Whole = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    using X = std::conditional_t<std::is_floating_point_v<T>, double, Whole>;
    if (group_spec_.spec.type == base::ElementType::f16) {
      add_block_of<std::uint16_t, double>(elements, kept, keys.size(), statistics::widen_half);
    } else {
      add_block_of<T, X>(elements, kept, keys.size());
    }
  }

  /// Finds the groups of the requested keys. Returns how many they are; `chosen_` says which,
  /// unless they are all.
  std::size_t choose(std::span<const GroupKey> keys, std::span<const std::int64_t> places) {
    const GroupScope& scope = found_.scope();
    if (columns_.set.number(keys, scope.dense_first, scope.dense_count, groups_.data())) {
      std::ranges::copy(places, places_.begin());
      return keys.size();
    }
    const std::size_t kept = found_.choose(keys, chosen_.data(), groups_.data());
    if (places.empty()) return kept;
    for (std::size_t i = 0; i < kept; ++i) places_[i] = places[chosen_[i]];
    return kept;
  }

  template <class T, class X, class Widen = std::identity>
  void add_block_of(const std::byte* elements, std::size_t kept, std::size_t count,
                    Widen widen = {}) {
    const auto groups = std::span(groups_).first(kept);
    if constexpr (std::is_same_v<T, double>) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(elements) % alignof(double) == 0;
      if (in_cells_ && kept == count && aligned) {  // cells only read; no copy is needed
        return add_or_wait<const double>({.groups = groups,
                                          .x = {reinterpret_cast<const double*>(elements), count},
                                          .places = {}});
      }
    }
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
    add_or_wait<X>({.groups = groups,
                    .x = std::span(x).first(kept),
                    .places = std::span(places_).first(places ? kept : 0)});
  }

  /// Many groups are not in the cache together, so their elements wait for neighbours.
  template <class X>
  void add_or_wait(const GroupedBlock<X>& block) {
    if (found_.count() <= kDirectGroups) return add_now(block, 0, found_.count());
    auto& waiting = std::get<Typed<std::remove_const_t<X>>>(typed_).waiting;
    waiting.add(block, found_.count());
    if constexpr (std::is_floating_point_v<X>) {
      if (group_spec_.spec.has_sums()) outside_ += group_spec_.window.count_outside(block.x);
    }
    const std::size_t useful = std::max(kMinWaiting, kWaitingEach * found_.count());
    if (waiting.elements() >= std::min(useful, found_.scope().max_waiting) ||
        !found_.may_defer(outside_)) {
      add_waiting();
    }
  }

  /// Adds elements of the groups [first, first + count).
  template <class X>
  void add_now(const GroupedBlock<X>& block, std::size_t first, std::size_t count) {
    statistics::GroupPartials& all = found_.partials();
    if constexpr (std::is_floating_point_v<X>) {
      if (in_cells_) {
        cells_.cover(first, count, all);
        return cells_.add(block.x, block.groups, all);
      }
    }
    if constexpr (!std::is_const_v<X>) add_block<X>(columns_, block, all);
  }

  /// Completes the partial results.
  void add_waiting() {
    const auto add_typed = [&]<class X>(Typed<X>& typed) {
      if (typed.waiting.empty()) return;
      typed.waiting.flush([&](const GroupedBlock<X>& block, std::size_t first) {
        add_now<X>(block, first, std::min(GroupPartitions<X>::kGroups, found_.count() - first));
      });
    };
    std::apply([&](auto&... typed) { (add_typed(typed), ...); }, typed_);
    outside_ = 0;
    cells_.drain(found_.partials());
  }

  statistics::GroupSpec group_spec_;
  GroupColumnsSpec columns_;
  FoundGroups found_;
  bool in_cells_;
  GroupCells cells_;
  // Elements of a block.
  std::array<std::uint16_t, kGroupBlock> chosen_{};
  std::array<std::uint32_t, kGroupBlock> groups_{};
  std::array<std::int64_t, kGroupBlock> places_{};
  std::tuple<Typed<double>, Typed<std::int64_t>, Typed<std::uint64_t>> typed_;
  std::size_t outside_ = 0;  ///< elements outside of the window, among the elements that wait
};

}  // namespace

std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec,
                                                 const CpuTarget& target) {
  return std::make_unique<CpuGroupReducer>(group_spec, target);
}

}  // namespace tessera::device::cpu
