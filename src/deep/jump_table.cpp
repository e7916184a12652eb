#include "deep/jump_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/fma_clones.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::least;
using kernels::magnitude;
using kernels::ScaledComplex;
using kernels::ScaledReal;
using kernels::square_root;
using kernels::TsJumpEntry;
using kernels::twice;

namespace {

using Coefficient = ScaledComplex<DoubleDouble>;

// A run of entries without a dip is cut after so many. Near-parabolic orbits would otherwise make
// groups so long that no radius remains.
constexpr std::size_t kLongestGroup = 5;
constexpr std::int64_t kScaledRadiusExponent = -490;

Coefficient one() {
  return kernels::normalized(DoubleDouble{1}, DoubleDouble{}, 0);
}

struct BuildEntry {
  ScaledReal radius = ScaledReal::infinity();
  Coefficient a = one();
  Coefficient q{};
  Coefficient b = one();
  std::int64_t length = 1;

  bool valid() const { return !radius.is_zero(); }
};

/// Orders |Z|, also below f64's range.
double dip_key(const Coefficient& z) {
  const ScaledReal size = magnitude(z);
  if (size.is_zero()) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(size.e) + size.m;
}

class TableBuilder {
 public:
  TableBuilder(const ReferenceOrbit& orbit, const JumpLimits& limits)
      : orbit_(orbit),
        limits_(limits),
        epsilon_(limits.epsilon),
        c_radius_(1.0, limits.unit_exponent) {}

  using Level = std::vector<std::pair<std::int64_t, BuildEntry>>;

  /// All entries, by m and rising length.
  Level build() {
    first_level();
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
  // Entries of level 1 jump over 2 or 3 iterations, which does not pay.
  static constexpr int kFirstLevel = 2;

  void first_level() {
    const std::int64_t end = orbit_.length();
    std::vector<double> keys(static_cast<std::size_t>(end));
    for (std::int64_t m = 0; m < end; ++m)
      keys[static_cast<std::size_t>(m)] = dip_key(orbit_.at(m));
    const auto groups = cuts(keys);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      BuildEntry joined;
      for (std::size_t i = groups[g] + 1; i < groups[g + 1]; ++i) {
        joined = join(joined, static_cast<std::int64_t>(i), BuildEntry{});
      }
      level_.emplace_back(static_cast<std::int64_t>(groups[g]), std::move(joined));
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
      next.emplace_back(m, std::move(joined));
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
  TESSERA_WITH_AND_WITHOUT_FMA [[gnu::flatten]] BuildEntry join(const BuildEntry& x, std::int64_t m,
                                                                const BuildEntry& y) const {
    BuildEntry both;
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

  ScaledReal joined_radius(const BuildEntry& x, const BuildEntry& y, const ScaledReal& size,
                           const BuildEntry& both, const ScaledReal& xq) const {
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
    most = least(most, (ScaledReal(limits_.radius) - size) * ScaledReal(0.5));
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

  const ReferenceOrbit& orbit_;
  JumpLimits limits_;
  ScaledReal epsilon_;
  ScaledReal c_radius_;
  Level level_;
  Level kept_;
};

double part(const DoubleDouble& number, std::int64_t e, double) {
  return kernels::part_value(number.hi, e);
}
DoubleDouble part(const DoubleDouble& number, std::int64_t e, const DoubleDouble&) {
  return kernels::part_value(number, e);
}

ScaledComplex<double> with_bits_of(const Coefficient& number, double) {
  return rounded(number);
}
Coefficient with_bits_of(const Coefficient& number, const DoubleDouble&) {
  return number;
}

/// Stores entries by node.
template <class Number, class Table>
void store(const TableBuilder::Level& kept, std::int64_t unit_exponent, Table& table) {
  constexpr Number kBits{};
  for (const auto& [m, entry] : kept) {
    Coefficient b = entry.b;
    b.e += unit_exponent;
    if (entry.radius.e < kScaledRadiusExponent) {
      auto& scaled = table.scaled;
      if (scaled.nodes.empty() || scaled.nodes.back().m != m) {
        scaled.nodes.push_back({m, static_cast<std::uint32_t>(scaled.entries.size()), 0});
      }
      ++scaled.nodes.back().levels;
      scaled.entries.push_back({entry.radius, with_bits_of(entry.a, kBits),
                                with_bits_of(entry.q, kBits), with_bits_of(b, kBits),
                                entry.length});
      continue;
    }
    auto& node = table.nodes[static_cast<std::size_t>(m)];
    const double radius = entry.radius.value();
    if (node.levels == 0) {
      node.first = static_cast<std::uint32_t>(table.entries.size());
      node.radius2 = radius * radius;
    }
    ++node.levels;
    auto& stored = table.entries.emplace_back();
    stored.radius2 = radius * radius;
    stored.length = static_cast<std::uint64_t>(entry.length);
    stored.a_re = part(entry.a.re, entry.a.e, kBits);
    stored.a_im = part(entry.a.im, entry.a.e, kBits);
    stored.q_re = part(entry.q.re, entry.q.e, kBits);
    stored.q_im = part(entry.q.im, entry.q.e, kBits);
    stored.b_re = part(b.re, b.e, kBits);
    stored.b_im = part(b.im, b.e, kBits);
  }
}

}  // namespace

template <class Number>
const ScaledEntry<Number>* ScaledEntries<Number>::find(std::int64_t m,
                                                       const ScaledReal& size) const {
  const auto node = std::ranges::lower_bound(nodes, m, {}, &Node::m);
  if (node == nodes.end() || node->m != m) return nullptr;
  for (std::uint32_t level = node->levels; level-- > 0;) {
    const ScaledEntry<Number>& entry = entries[node->first + level];
    if (size < entry.radius) return &entry;
  }
  return nullptr;
}
template struct ScaledEntries<double>;
template struct ScaledEntries<DoubleDouble>;

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits) {
  JumpTable table;
  table.nodes.resize(orbit.re.size());
  for (std::size_t m = 0; m < table.nodes.size(); ++m) {
    table.nodes[m].re = orbit.re[m];
    table.nodes[m].im = orbit.im[m];
  }
  store<double>(TableBuilder(orbit, limits).build(), limits.unit_exponent, table);
  return table;
}

PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpLimits& limits) {
  PreciseTable table;
  table.nodes.resize(orbit.re.size());
  for (std::size_t m = 0; m < table.nodes.size(); ++m) {
    PreciseTable::Node& node = table.nodes[m];
    node.re = orbit.re[m];
    node.im = orbit.im[m];
    node.re_low = orbit.re_low[m];
    node.im_low = orbit.im_low[m];
  }
  store<DoubleDouble>(TableBuilder(orbit, limits).build(), limits.unit_exponent, table);
  return table;
}

}  // namespace tessera::deep
