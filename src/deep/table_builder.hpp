// Makes the entries of a table of jumps (jump_table.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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
  number = {{0, 0, std::uint64_t{1} << 61}, {}, 1};
}

/// A jump z' = t (a + q t) + b c, valid for |t| < radius. At first, a step of one iteration.
template <class Coefficient>
struct BuildEntry {
  BuildEntry() {
    set_to_one(a);
    set_to_one(b);
  }

  kernels::ScaledReal radius = kernels::ScaledReal::infinity();
  Coefficient a, q, b;
  std::int64_t length = 1;

  bool valid() const { return !radius.is_zero(); }
};

/// Orders |Z|, also below f64's range.
template <class Coefficient>
double dip_key(const Coefficient& z) {
  const kernels::ScaledReal size = magnitude(z);
  if (size.is_zero()) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(size.e) + size.m;
}

/// For orbits whose elements at(m) are coefficients, m = 0 to length(). There may be two, and
/// `first` begins the second one.
template <class Coefficient, class Orbit>
class TableBuilder {
 public:
  using Entry = BuildEntry<Coefficient>;
  /// Entries by m.
  using Level = std::vector<std::pair<std::int64_t, Entry>>;

  TableBuilder(const Orbit& orbit, const JumpLimits& limits)
      : orbit_(orbit),
        limits_(limits),
        epsilon_(limits.epsilon),
        c_radius_(limits.moves_c ? ScaledReal(1.0, limits.unit_exponent) : ScaledReal()) {}

  /// All entries, by m and rising length.
  Level build() {
    if (limits_.none) return {};
    if (orbit_.first > 0) add_levels(0, orbit_.first - 1);
    add_levels(orbit_.first, orbit_.length());
    std::ranges::stable_sort(kept_, {},
                             [](const auto& e) { return std::pair(e.first, e.second.length); });
    // A group of one entry is that entry again.
    const auto same = [](const auto& a, const auto& b) {
      return a.first == b.first && a.second.length == b.second.length;
    };
    kept_.erase(std::unique(kept_.begin(), kept_.end(), same), kept_.end());
    return std::move(kept_);
  }

 private:
  using ScaledReal = kernels::ScaledReal;

  // Entries of level 1 jump over 2 or 3 iterations, which does not pay.
  static constexpr int kFirstLevel = 2;

  /// Of one orbit, from its first element to its last.
  void add_levels(std::int64_t first, std::int64_t last) {
    first_level(first, last);
    int level = 1;
    while (true) {
      if (level >= kFirstLevel) keep();
      if (level_.size() <= 1 ||
          std::ranges::none_of(level_, [](const auto& e) { return e.second.valid(); }))
        break;
      const std::size_t before = level_.size();
      next_level();
      ++level;
      if (level_.size() == before) break;
    }
  }

  void first_level(std::int64_t first, std::int64_t last) {
    level_.clear();
    std::vector<double> keys(static_cast<std::size_t>(last - first));
    for (std::int64_t m = first; m < last; ++m)
      keys[static_cast<std::size_t>(m - first)] = dip_key(orbit_.at(m));
    const auto groups = cuts(keys);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      Entry joined;
      for (std::size_t i = groups[g] + 1; i < groups[g + 1]; ++i) {
        joined = join(joined, first + static_cast<std::int64_t>(i), Entry{});
      }
      level_.emplace_back(first + static_cast<std::int64_t>(groups[g]), joined);
    }
  }

  void next_level() {
    std::vector<double> keys;
    keys.reserve(level_.size());
    for (const auto& [m, entry] : level_) keys.push_back(dip_key(orbit_.at(m)));
    const auto groups = cuts(keys);
    Level next;
    next.reserve(groups.size());
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      auto [m, joined] = level_[groups[g]];
      for (std::size_t i = groups[g] + 1; i < groups[g + 1]; ++i) {
        joined = join(joined, level_[i].first, level_[i].second);
      }
      next.emplace_back(m, joined);
    }
    level_ = std::move(next);
  }

  /// Where groups begin, and the end: at 0, at dips, and after kLongestGroup.
  static std::vector<std::size_t> cuts(const std::vector<double>& keys) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool dip =
          i > 0 && i + 1 < keys.size() && keys[i - 1] >= keys[i] && keys[i] < keys[i + 1];
      if (i == 0 || dip || i - cuts.back() >= kLongestGroup) cuts.push_back(i);
    }
    cuts.push_back(keys.size());
    return cuts;
  }

  /// x, then y, which starts at Z_m.
  [[gnu::flatten]] TESSERA_WITH_AND_WITHOUT_FMA Entry join(const Entry& x, std::int64_t m,
                                                           const Entry& y) const {
    Entry both;
    both.length = x.length + y.length;
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
    both.radius = joined_radius(x, y, size, both, magnitude(xq));
    return both;
  }

  ScaledReal joined_radius(const Entry& x, const Entry& y, const ScaledReal& size,
                           const Entry& both, const ScaledReal& xq) const {
    const ScaledReal& c = c_radius_;
    const ScaledReal r = size * ScaledReal(2.0);
    const ScaledReal xb = magnitude(x.b);
    const ScaledReal ya = magnitude(y.a);
    const ScaledReal yq = magnitude(y.q);
    // The terms t c and c c that are dropped.
    const ScaledReal mixed = ScaledReal(2.0) * xb * c * (ScaledReal(1.0) / r + yq * r / ya);
    if (epsilon_ < mixed) return {};
    if (epsilon_ * magnitude(both.b) < (ya + yq * r * r) * xb * xb * c) return {};
    // The term t^3.
    const ScaledReal cubic = ScaledReal(2.0) * magnitude(x.q) / r + ScaledReal(2.0) * yq * xq / ya;
    ScaledReal radius = x.radius;
    if (!cubic.is_zero()) radius = least(radius, square_root(epsilon_ / cubic));
    // Within the jump z stays small beside Z, does not escape, and meets y's condition.
    ScaledReal most = r * ScaledReal(0x1p-10);
    const ScaledReal above_size = size * ScaledReal(1 + 0x1p-50);  // |Z|, whatever the rounding
    most = least(most, (ScaledReal(limits_.radius) - above_size) * ScaledReal(0.5));
    if (!y.radius.is_infinite()) most = least(most, y.radius / r);
    most = most / ScaledReal(1 + 0x1p-9) - xb * c;
    if (!(ScaledReal() < most)) return {};
    return least(radius, most / magnitude(x.a));
  }

  void keep() {
    for (const auto& [m, entry] : level_) {
      if (entry.valid() && entry.length > 1) kept_.emplace_back(m, entry);
    }
  }

  const Orbit& orbit_;
  JumpLimits limits_;
  ScaledReal epsilon_;
  ScaledReal c_radius_;
  Level level_;
  Level kept_;
};

}  // namespace tessera::deep
