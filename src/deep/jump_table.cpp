#include "deep/jump_table.hpp"

#include <algorithm>
#include <cmath>

#include "deep/rounding_errors.hpp"
#include "deep/table_builder.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledComplex;
using kernels::ScaledReal;

namespace {

using Coefficient = ScaledComplex<DoubleDouble>;

constexpr std::int64_t kScaledRadiusExponent = -490;
constexpr std::array<double, 1> kFastEpsilons{0x1p-53};

bool is_scaled(const ScaledReal& radius) {
  return radius.e < kScaledRadiusExponent;
}
double squared(const ScaledReal& radius) {
  return radius.value() * radius.value();
}

void set_part(double& part, const DoubleDouble& number, std::int64_t e) {
  part = kernels::tn_part_value(number.hi, e);
}
void set_part(DoubleDouble& part, const DoubleDouble& number, std::int64_t e) {
  part = kernels::tn_part_value(number, e);
}

ScaledComplex<double> with_bits_of(const Coefficient& number, double) {
  return rounded(number);
}
Coefficient with_bits_of(const Coefficient& number, const DoubleDouble&) {
  return number;
}

/// Collects the scaled entries of a tier as the builder finds them, and orders them at the end.
template <class Number>
class ScaledStoring {
 public:
  ScaledStoring(const ReferenceOrbit& orbit, ScaledJumps<Number>& jumps)
      : orbit_(orbit), jumps_(jumps) {}

  /// `b` is in units of 1.
  template <std::size_t kTiers>
  void add(std::int64_t m, const BuildEntry<Coefficient, kTiers>& entry, const Coefficient& b,
           std::size_t tier) {
    found_.push_back(
        {m,
         {entry.radius[tier], with_bits_of(entry.a, kBits), with_bits_of(entry.q, kBits),
          with_bits_of(b, kBits), static_cast<std::uint64_t>(entry.length)}});
  }

  void finish() {
    auto& nodes = jumps_.scaled_nodes;
    std::ranges::stable_sort(found_, {}, &Found::m);
    for (const Found& found : found_) {
      if (nodes.empty() || nodes.back().m != static_cast<std::uint64_t>(found.m)) {
        add_node(found.m, orbit_.at(found.m));
      }
      ++nodes.back().levels;
      jumps_.scaled_entries.push_back(found.entry);
    }
    add_tiny_elements();
  }

 private:
  static constexpr Number kBits{};

  struct Found {
    std::int64_t m;
    kernels::TsScaledEntry<Number> entry;
  };

  void add_node(std::int64_t m, const Coefficient& z) {
    jumps_.scaled_nodes.push_back({static_cast<std::uint64_t>(m), with_bits_of(z, kBits),
                                   static_cast<std::uint32_t>(jumps_.scaled_entries.size()), 0});
  }

  void add_tiny_elements() {
    auto& nodes = jumps_.scaled_nodes;
    const auto by_m = [](const auto& a, const auto& b) { return a.m < b.m; };
    const auto end = static_cast<std::ptrdiff_t>(nodes.size());
    for (const ReferenceOrbit::Tiny& tiny : orbit_.tiny) {
      const kernels::TsScaledNode<Number> node{static_cast<std::uint64_t>(tiny.m), {}, 0, 0};
      if (!std::binary_search(nodes.begin(), nodes.begin() + end, node, by_m))
        add_node(tiny.m, tiny.z);
    }
    std::stable_sort(nodes.begin(), nodes.end(), by_m);
  }

  const ReferenceOrbit& orbit_;
  ScaledJumps<Number>& jumps_;
  std::vector<Found> found_;
};

Coefficient b_of(const JumpLimits& limits, const Coefficient& b) {
  Coefficient plain = limits.moves_c ? b : Coefficient{};
  plain.e += limits.unit_exponent;
  return plain;
}

/// All but the radius and the place.
template <class Stored, std::size_t kTiers>
void set_coefficients(Stored& stored, const BuildEntry<Coefficient, kTiers>& entry,
                      const Coefficient& b) {
  stored.length = static_cast<std::uint64_t>(entry.length);
  set_part(stored.a_re, entry.a.re, entry.a.e);
  set_part(stored.a_im, entry.a.im, entry.a.e);
  set_part(stored.q_re, entry.q.re, entry.q.e);
  set_part(stored.q_im, entry.q.im, entry.q.e);
  set_part(stored.b_re, b.re, b.e);
  set_part(stored.b_im, b.im, b.e);
}

ScaledReal size_of(const ReferenceOrbit& orbit, std::int64_t m) {
  const double x = orbit.re[static_cast<std::size_t>(m)];
  const double y = orbit.im[static_cast<std::size_t>(m)];
  if (ReferenceOrbit::is_tiny(x, y)) return magnitude(rounded(orbit.at(m)));
  return std::sqrt(std::fma(x, x, y * y));
}

/// Puts bounds of the errors of an orbit's elements [first, last) into their nodes, of which
/// `exact` have none.
void add_errors(const ReferenceOrbit& orbit, std::int64_t first, std::int64_t last,
                std::int64_t exact, int degree, std::vector<kernels::TsJumpNode>& nodes) {
  // Z_1 of the orbit of 0 is c.
  const ScaledReal c = size_of(orbit, std::min<std::int64_t>(1, orbit.length()));
  RoundingErrors errors(degree, orbit.bits, c, size_of(orbit, first), exact > 0);
  for (std::int64_t m = first; m < last; ++m) {
    if (m > first) errors.step(size_of(orbit, m - 1), m - first < exact);
    const ScaledReal bound = errors.bound();
    const std::int64_t exponent =
        bound.is_zero() ? TS_NO_ERROR
                        : std::clamp<std::int64_t>(-bound.e, 0, std::int64_t{TS_NO_ERROR} - 1);
    nodes[static_cast<std::size_t>(m)].levels_and_error |= static_cast<std::uint32_t>(exponent)
                                                           << 8;
  }
}

/// Calls keep(m, entry) for the jumps of an orbit.
template <std::size_t kTiers, class Keep>
void build(const ReferenceOrbit& orbit, const JumpLimits& limits,
           const std::array<double, kTiers>& epsilons, Keep keep) {
  TableBuilder<Coefficient, kTiers, ReferenceOrbit, Keep>(orbit, limits, epsilons, keep).build();
}

}  // namespace

std::size_t count_jumps(const ReferenceOrbit& orbit) {
  std::size_t count = 0;
  const auto keep = [&](std::int64_t, const BuildEntry<void, 1>&) { ++count; };
  TableBuilder<void, 1, ReferenceOrbit, decltype(keep)>(orbit, {}, kFastEpsilons, keep).build();
  return count;
}

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits) {
  JumpTable table;
  table.nodes.resize(orbit.re.size());
  for (std::size_t m = 0; m < table.nodes.size(); ++m) {
    table.nodes[m].re = orbit.re[m];
    table.nodes[m].im = orbit.im[m];
  }
  // Memory that is not used is not taken, and vectors that grow would need more for a while.
  const std::size_t most = limits.none ? 0 : max_jumps(orbit.re.size());
  table.entries.reserve(most);
  std::vector<std::uint64_t> m_of_entries;
  m_of_entries.reserve(most);
  ScaledStoring<double> scaled(orbit, table);
  build(orbit, limits, kFastEpsilons, [&](std::int64_t m, const auto& entry) {
    const Coefficient b = b_of(limits, entry.b);
    if (is_scaled(entry.radius[0])) return scaled.add(m, entry, b, 0);
    ++table.nodes[static_cast<std::size_t>(m)].levels_and_error;
    m_of_entries.push_back(static_cast<std::uint64_t>(m));
    auto& stored = table.entries.emplace_back();
    stored.radius2 = squared(entry.radius[0]);
    set_coefficients(stored, entry, b);
  });
  order_by_node(table.nodes, table.entries, std::move(m_of_entries),
                &kernels::TsJumpNode::levels_and_error);  // no errors are there yet
  for (auto& node : table.nodes) {
    if (node.levels_and_error > 0) node.radius2 = table.entries[node.first].radius2;
  }
  if (orbit.first > 0) add_errors(orbit, 0, orbit.first, orbit.exact, limits.degree, table.nodes);
  add_errors(orbit, orbit.first, orbit.length() + 1,
             orbit.first > 0 ? orbit.exact_second : orbit.exact, limits.degree, table.nodes);
  scaled.finish();
  return table;
}

PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpTable& fast,
                                 const JumpLimits& limits) {
  PreciseTable table;
  table.links.resize(orbit.re.size());
  // f64 drops the largest terms, so it has the most jumps.
  const std::size_t most = fast.entries.size() + fast.scaled_entries.size();
  table.entries.reserve(most);
  std::vector<std::uint64_t> m_of_entries;
  m_of_entries.reserve(most);
  std::array<ScaledStoring<DoubleDouble>, kernels::kPreciseTiers> scaled{
      ScaledStoring(orbit, table.scaled[0]), ScaledStoring(orbit, table.scaled[1])};
  build(orbit, limits, PreciseTable::kEpsilons, [&](std::int64_t m, const auto& entry) {
    const Coefficient b = b_of(limits, entry.b);
    kernels::PreciseLinks& links = table.links[static_cast<std::size_t>(m)];
    kernels::PreciseEntry stored;
    for (std::size_t tier = 0; tier < kernels::kPreciseTiers; ++tier) {
      const ScaledReal& radius = entry.radius[tier];
      if (radius.is_zero()) continue;
      if (is_scaled(radius)) {
        scaled[tier].add(m, entry, b, tier);
        continue;
      }
      ++links.levels[tier];
      stored.radius2[tier] = squared(radius);
    }
    if (stored.radius2[0] == 0) return;
    m_of_entries.push_back(static_cast<std::uint64_t>(m));
    set_coefficients(stored, entry, b);
    table.entries.push_back(stored);
  });
  order_by_node(table.links, table.entries, std::move(m_of_entries),
                [](const kernels::PreciseLinks& links) { return links.levels[0]; });
  for (auto& links : table.links) {
    if (links.levels[0] > 0) links.radius2 = table.entries[links.first].radius2;
  }
  for (auto& one : scaled) one.finish();
  return table;
}

kernels::TsJumps<DoubleDouble> PreciseTable::jumps(const ReferenceOrbit& orbit,
                                                   const JumpTable& table, std::size_t tier) const {
  const ScaledJumps<DoubleDouble>& of_tier = scaled[tier];
  return {{table.nodes.data(), orbit.re_low.data(), orbit.im_low.data(), links.data(), tier},
          {entries.data(), tier},
          of_tier.scaled_nodes.data(),
          of_tier.scaled_entries.data(),
          static_cast<std::uint32_t>(of_tier.scaled_nodes.size())};
}

}  // namespace tessera::deep
