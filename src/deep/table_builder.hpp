// Makes the entries of a table of jumps (jump_table.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "deep/all_cores.hpp"
#include "deep/jump_table.hpp"
#include "deep/wide_complex.hpp"
#include "kernels/deep/scaled.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

// A run of entries without a dip is cut after so many. Near-parabolic orbits would otherwise make
// groups so long that no radius remains.
inline constexpr std::size_t kLongestGroup = 5;

inline void set_to_one(kernels::ScaledComplex<kernels::DoubleDouble>& number) {
  number = kernels::ts_normalized(kernels::DoubleDouble{1}, kernels::DoubleDouble{}, 0);
}
inline void set_to_one(WideComplex& number) {
  number = kernels::ts_wide_from(1);
}

/// A jump z' = t (a + q t) + b c, valid for |t| < radius. At first, a step of one iteration. A tier
/// drops smaller terms than the one before, so its radius is not larger.
template <class Coefficient, std::size_t kTiers>
struct BuildEntry {
  BuildEntry() {
    radius.fill(kernels::ScaledReal::infinity());
    set_to_one(a);
    set_to_one(b);
  }

  std::array<kernels::ScaledReal, kTiers> radius;
  Coefficient a, q, b;
  std::int64_t length = 1;

  bool valid() const { return !radius[0].is_zero(); }
};

/// The length alone, to count jumps.
template <std::size_t kTiers>
struct BuildEntry<void, kTiers> {
  std::int64_t length = 1;

  bool valid() const { return true; }
};

/// Orders |Z|, also below f64's range.
template <class Coefficient>
double dip_key(const Coefficient& z) {
  const kernels::ScaledReal size = magnitude(z);
  if (size.is_zero()) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(size.e) + size.m;
}

/// For orbits whose elements at(m) are coefficients, m = 0 to length(). There may be two, and
/// `first` begins the second one. Calls keep(m, entry) for each entry; those of one m have rising
/// lengths. It holds a batch of the lowest levels, which have nearly all joins, and one entry of
/// each higher level. The cores share the joins of a batch.
template <class Coefficient, std::size_t kTiers, class Orbit, class Keep>
class TableBuilder {
 public:
  using Entry = BuildEntry<Coefficient, kTiers>;

  /// `epsilons` of the terms that a tier drops, relative to those that remain: falling.
  TableBuilder(const Orbit& orbit, const JumpLimits& limits,
               const std::array<double, kTiers>& epsilons, Keep& keep)
      : orbit_(orbit),
        limits_(limits),
        keep_(keep),
        epsilons_(epsilons),
        c_radius_(limits.moves_c ? ScaledReal(1.0, limits.unit_exponent) : ScaledReal()) {}

  void build() {
    if (limits_.none) return;
    if (orbit_.first > 0) add_orbit(0, orbit_.first - 1);
    add_orbit(orbit_.first, orbit_.length());
  }

 private:
  using ScaledReal = kernels::ScaledReal;

  // Entries of level 1 jump over 2 or 3 iterations, which does not pay.
  static constexpr std::size_t kFirstLevel = 2;

  /// A batch of elements, and the levels whose groups are joined at its end.
  static constexpr std::int64_t kBatch = 16384;
  static constexpr std::size_t kBatchedLevels = std::is_void_v<Coefficient> ? 0 : 2;
  /// What takes longer than the start of a thread.
  static constexpr std::size_t kLeastKeys = 4096;
  static constexpr std::size_t kLeastGroups = 256;

  struct Item {
    std::int64_t m = 0;
    double key = 0;
    Entry entry;
  };

  /// Items of a level: the first one, `joined` with others.
  struct Group {
    Item item;
    std::size_t joined = 0;
    std::size_t first = 0, last = 0;  ///< those of Level::to_join that are yet to be joined
  };

  /// Joins the items of a level to groups, the items of the next one. Groups begin at the first
  /// item, at dips, and after kLongestGroup.
  struct Level {
    std::uint64_t received = 0;
    Item last;          ///< received and in no group: the next one decides if it is a dip
    double before = 0;  ///< key of the item before
    Group group;        ///< under way
    // Of a level that is joined in batches.
    std::vector<Item> to_join;
    std::vector<Group> ended;
  };

  /// Adds the elements [first, last) of one orbit.
  void add_orbit(std::int64_t first, std::int64_t last) {
    levels_.clear();
    for (std::int64_t m = first; m < last; m += kBatch) add_batch(m, std::min(m + kBatch, last));
    // Entries of a level of one are known from the level before.
    for (std::size_t k = 0; k < levels_.size() && levels_[k].received > (k == 0 ? 0U : 1U); ++k) {
      add_last(k, false);
      finish_group(k);
      if (k < kBatchedLevels) join_batch(k);
    }
  }

  void add_batch(std::int64_t first, std::int64_t last) {
    std::vector<double> keys(static_cast<std::size_t>(last - first));
    const auto set_key = [&](std::size_t i) {
      keys[i] = dip_key(orbit_.at(first + static_cast<std::int64_t>(i)));
    };
    on_all_cores(keys.size(), kLeastKeys, set_key);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      receive(0, {first + static_cast<std::int64_t>(i), keys[i], {}});
    }
    for (std::size_t k = 0; k < std::min(kBatchedLevels, levels_.size()); ++k) join_batch(k);
  }

  void receive(std::size_t k, const Item& item) {
    if (k == levels_.size()) levels_.emplace_back();
    Level& level = levels_[k];
    if (level.received > 0) {
      const bool dip =
          level.received > 1 && level.before >= level.last.key && level.last.key < item.key;
      add_last(k, dip);
      level.before = level.last.key;
    }
    level.last = item;
    ++level.received;
  }

  void add_last(std::size_t k, bool dip) {
    Level& level = levels_[k];
    Group& group = level.group;
    if (group.joined == 0 || dip || group.joined >= kLongestGroup) {
      if (group.joined > 0) finish_group(k);
      group = {level.last, 1, level.to_join.size(), level.to_join.size()};
      return;
    }
    ++group.joined;
    if (k < kBatchedLevels) {
      level.to_join.push_back(level.last);
      ++group.last;
    } else {
      group.item.entry = join(group.item.entry, level.last.m, level.last.entry);
    }
  }

  void finish_group(std::size_t k) {
    Level& level = levels_[k];
    k < kBatchedLevels ? level.ended.push_back(level.group) : pass_on(k, level.group);
  }

  /// Joins what the groups of a level have to join, and passes on those that have ended.
  void join_batch(std::size_t k) {
    Level& level = levels_[k];
    on_all_cores(level.ended.size(), kLeastGroups,
                 [&](std::size_t i) { join_group(level, level.ended[i]); });
    if (level.group.joined > 0) join_group(level, level.group);
    level.to_join.clear();
    const std::vector<Group> ended = std::exchange(level.ended, {});
    for (const Group& group : ended) pass_on(k, group);
  }

  void join_group(const Level& level, Group& group) const {
    for (; group.first < group.last; ++group.first) {
      const Item& next = level.to_join[group.first];
      group.item.entry = join(group.item.entry, next.m, next.entry);
    }
    group.first = group.last = 0;
  }

  void pass_on(std::size_t k, const Group& group) {
    const Entry& entry = group.item.entry;
    // A group of one entry is that entry again.
    const bool fresh = group.joined > 1 || k + 1 == kFirstLevel;
    if (k + 1 >= kFirstLevel && fresh && entry.valid() && entry.length > 1) {
      keep_(group.item.m, entry);
    }
    receive(k + 1, group.item);
  }

  /// x, then y, which starts at Z_m.
  [[gnu::flatten]] TESSERA_WITH_AND_WITHOUT_FMA Entry join(const Entry& x, std::int64_t m,
                                                           const Entry& y) const {
    Entry both;
    both.length = x.length + y.length;
    if constexpr (!std::is_void_v<Coefficient>) {
      both.radius = {};
      if (!x.valid() || !y.valid()) return both;
      const Coefficient z = orbit_.at(m);
      const ScaledReal size = magnitude(z);
      if (size.is_zero() || !(size < ScaledReal(limits_.radius))) return both;
      const Coefficient r = twice(z);
      const Coefficient ra = r * x.a;
      const Coefficient xq = r * x.q + x.a * x.a;
      both.a = y.a * ra;
      both.b = y.a * (r * x.b) + y.b;
      both.q = y.a * xq + y.q * (ra * ra);
      for (std::size_t tier = 0; tier < kTiers; ++tier) {
        if (x.radius[tier].is_zero() || y.radius[tier].is_zero()) continue;
        both.radius[tier] = joined_radius(x, y, size, both, magnitude(xq), tier);
      }
    }
    return both;
  }

  ScaledReal joined_radius(const Entry& x, const Entry& y, const ScaledReal& size,
                           const Entry& both, const ScaledReal& xq, std::size_t tier) const {
    const ScaledReal epsilon(epsilons_[tier]);
    const ScaledReal& c = c_radius_;
    const ScaledReal r = size * ScaledReal(2.0);
    const ScaledReal xb = magnitude(x.b);
    const ScaledReal ya = magnitude(y.a);
    const ScaledReal yq = magnitude(y.q);
    // The terms t c and c c that are dropped.
    const ScaledReal mixed = ScaledReal(2.0) * xb * c * (ScaledReal(1.0) / r + yq * r / ya);
    if (epsilon < mixed) return {};
    if (epsilon * magnitude(both.b) < (ya + yq * r * r) * xb * xb * c) return {};
    // The term t^3.
    const ScaledReal cubic = ScaledReal(2.0) * magnitude(x.q) / r + ScaledReal(2.0) * yq * xq / ya;
    ScaledReal radius = x.radius[tier];
    if (!cubic.is_zero()) radius = least(radius, square_root(epsilon / cubic));
    // Within the jump z stays small beside Z, does not escape, and meets y's condition.
    ScaledReal most = r * ScaledReal(0x1p-10);
    const ScaledReal above_size = size * ScaledReal(1 + 0x1p-50);  // |Z|, whatever the rounding
    most = least(most, (ScaledReal(limits_.radius) - above_size) * ScaledReal(0.5));
    if (!y.radius[tier].is_infinite()) most = least(most, y.radius[tier] / r);
    most = most / ScaledReal(1 + 0x1p-9) - xb * c;
    if (!(ScaledReal() < most)) return {};
    return least(radius, most / magnitude(x.a));
  }

  const Orbit& orbit_;
  JumpLimits limits_;
  Keep& keep_;
  std::array<double, kTiers> epsilons_;
  ScaledReal c_radius_;
  std::deque<Level> levels_;
};

/// Puts entries, which were kept in the builder's order, in that of their nodes: entry i belongs to
/// nodes[m[i]], for which `levels` gives their number.
template <class Node, class Entry, class Levels>
void order_by_node(std::vector<Node>& nodes, std::vector<Entry>& entries,
                   std::vector<std::uint64_t> m, Levels levels) {
  std::uint32_t next = 0;
  for (Node& node : nodes) {
    node.first = next;
    next += std::invoke(levels, node);
  }
  std::vector<std::uint64_t>& place = m;
  for (std::uint64_t& at : place) at = nodes[at].first++;
  for (Node& node : nodes) node.first -= std::invoke(levels, node);
  for (std::size_t i = 0; i < place.size(); ++i) {
    while (place[i] != i) {
      const std::uint64_t to = place[i];
      std::swap(entries[i], entries[to]);
      std::swap(place[i], place[to]);
    }
  }
}

}  // namespace tessera::deep
