#include "deep/jump_table.hpp"

#include <algorithm>

#include "deep/table_builder.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledComplex;

namespace {

using Coefficient = ScaledComplex<DoubleDouble>;
using BuiltEntry = BuildEntry<Coefficient>;

constexpr std::int64_t kScaledRadiusExponent = -490;

double part(const DoubleDouble& number, std::int64_t e, double) {
  return kernels::tn_part_value(number.hi, e);
}
DoubleDouble part(const DoubleDouble& number, std::int64_t e, const DoubleDouble&) {
  return kernels::tn_part_value(number, e);
}

ScaledComplex<double> with_bits_of(const Coefficient& number, double) {
  return rounded(number);
}
Coefficient with_bits_of(const Coefficient& number, const DoubleDouble&) {
  return number;
}

/// Stores entries as the builder finds them, and orders them by node at the end.
template <class Number>
class Storing {
 public:
  Storing(const ReferenceOrbit& orbit, const JumpLimits& limits, JumpTableOf<Number>& table)
      : orbit_(orbit), limits_(limits), table_(table) {
    // Seldom more. Memory that is not used is not taken.
    table_.entries.reserve(limits.none ? 0 : table_.nodes.size() / 4);
  }

  void operator()(std::int64_t m, const BuiltEntry& entry) {
    if (entry.radius.e < kScaledRadiusExponent) {
      scaled_.emplace_back(m, entry);
    } else {
      store_entry(m, entry);
    }
  }

  void finish() {
    order_by_node(table_.nodes, table_.entries, std::move(m_));
    for (auto& node : table_.nodes) {
      if (node.levels > 0) node.radius2 = table_.entries[node.first].radius2;
    }
    std::ranges::stable_sort(scaled_, {}, [](const auto& e) { return e.first; });
    for (const auto& [m, entry] : scaled_) store_scaled(m, entry);
    add_tiny_elements();
  }

 private:
  static constexpr Number kBits{};

  Coefficient b_of(const BuiltEntry& entry) const {
    Coefficient b = limits_.moves_c ? entry.b : Coefficient{};
    b.e += limits_.unit_exponent;
    return b;
  }

  void store_scaled(std::int64_t m, const BuiltEntry& entry) {
    auto& nodes = table_.scaled_nodes;
    if (nodes.empty() || nodes.back().m != static_cast<std::uint64_t>(m)) {
      add_node(m, orbit_.at(m));
    }
    ++nodes.back().levels;
    table_.scaled_entries.push_back({entry.radius, with_bits_of(entry.a, kBits),
                                     with_bits_of(entry.q, kBits), with_bits_of(b_of(entry), kBits),
                                     static_cast<std::uint64_t>(entry.length)});
  }

  void store_entry(std::int64_t m, const BuiltEntry& entry) {
    ++table_.nodes[static_cast<std::size_t>(m)].levels;
    m_.push_back(static_cast<std::uint64_t>(m));
    const double radius = entry.radius.value();
    const Coefficient b = b_of(entry);
    auto& stored = table_.entries.emplace_back();
    stored.radius2 = radius * radius;
    stored.length = static_cast<std::uint64_t>(entry.length);
    stored.a_re = part(entry.a.re, entry.a.e, kBits);
    stored.a_im = part(entry.a.im, entry.a.e, kBits);
    stored.q_re = part(entry.q.re, entry.q.e, kBits);
    stored.q_im = part(entry.q.im, entry.q.e, kBits);
    stored.b_re = part(b.re, b.e, kBits);
    stored.b_im = part(b.im, b.e, kBits);
  }

  void add_node(std::int64_t m, const Coefficient& z) {
    table_.scaled_nodes.push_back({static_cast<std::uint64_t>(m), with_bits_of(z, kBits),
                                   static_cast<std::uint32_t>(table_.scaled_entries.size()), 0});
  }

  void add_tiny_elements() {
    auto& nodes = table_.scaled_nodes;
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
  const JumpLimits& limits_;
  JumpTableOf<Number>& table_;
  std::vector<std::uint64_t> m_;  ///< of the entries
  std::vector<std::pair<std::int64_t, BuiltEntry>> scaled_;
};

template <class Number>
void store(const ReferenceOrbit& orbit, const JumpLimits& limits, JumpTableOf<Number>& table) {
  Storing<Number> storing(orbit, limits, table);
  TableBuilder<Coefficient, ReferenceOrbit, Storing<Number>>(orbit, limits, storing).build();
  storing.finish();
}

}  // namespace

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits) {
  JumpTable table;
  table.nodes.resize(orbit.re.size());
  for (std::size_t m = 0; m < table.nodes.size(); ++m) {
    table.nodes[m].re = orbit.re[m];
    table.nodes[m].im = orbit.im[m];
  }
  store(orbit, limits, table);
  return table;
}

PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpLimits& limits) {
  PreciseTable table;
  table.nodes.resize(orbit.re.size());
  for (std::size_t m = 0; m < table.nodes.size(); ++m) {
    kernels::PreciseNode& node = table.nodes[m];
    node.re = orbit.re[m];
    node.im = orbit.im[m];
    node.re_low = orbit.re_low[m];
    node.im_low = orbit.im_low[m];
  }
  store(orbit, limits, table);
  return table;
}

}  // namespace tessera::deep
