// Pixels of deep images in plain C++: the loop of kernels/deep/advance.h in f64, and the numbers of
// 106 bits that continue where f64 leaves a count uncertain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/deep/image.hpp"
#include "kernels/deep/scaled.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::kernels {

/// The types that belong to a type of number.
template <class Number>
struct NumberTypes;

#define TS_FN [[gnu::always_inline]] inline
#define TS_APART TS_FN
#define TS_GLOBAL
#define TS_OF_NUMBERS template <class TsNumber>
#define TS_NUMBER TsNumber
#define TS_TO_NUMBER(v) \
  TsNumber {            \
    v                   \
  }
#define TS_COMPLEX TsScaledComplex<TsNumber>
#define TS_NODE typename NumberTypes<TsNumber>::Node
#define TS_ENTRY typename NumberTypes<TsNumber>::Entry
#define TS_PIXEL typename NumberTypes<TsNumber>::Pixel
#define TS_SCALED_NODE TsScaledNode<TsNumber>
#define TS_SCALED_ENTRY TsScaledEntry<TsNumber>
#define TS_JUMPS TsJumps<TsNumber>
#define TS_PHASE TsScaledPhase<TsNumber>

// clang-format off
#include "kernels/deep/jumps.h"
#include "kernels/deep/slopes.h"
#include "kernels/deep/difference.h"
#include "kernels/deep/advance.h"
// clang-format on

/// Tiers of 106 bits: they have the same jumps, which differ in the terms that are dropped.
inline constexpr std::size_t kPreciseTiers = 2;

/// As TsJumpNode, with 106 bits, of one tier.
struct PreciseNode {
  double re, im, re_low, im_low;
  double radius2;
  std::uint32_t first, levels_and_error;
};

/// The entries of an element: a tier has the first ones.
struct PreciseLinks {
  std::array<double, kPreciseTiers> radius2{};  ///< of the first entry
  std::uint32_t first = 0;
  std::array<std::uint16_t, kPreciseTiers> levels{};
};

/// As TsJumpEntry, with 106 bits, for all tiers.
struct alignas(128) PreciseEntry {
  std::uint64_t length = 0;
  DoubleDouble a_re, a_im, q_re, q_im, b_re, b_im;
  std::array<double, kPreciseTiers> radius2{};
};

/// A PreciseEntry in one tier.
struct PreciseJump {
  double radius2;
  DoubleDouble a_re, a_im, q_re, q_im, b_re, b_im;
  std::uint64_t length;
};

/// Points to the nodes of a tier, whose parts are in several arrays: only the links are its own.
struct PreciseNodes {
  const TsJumpNode* elements;
  const double *re_low, *im_low;
  const PreciseLinks* links;
  std::size_t tier;

  PreciseNode operator[](std::uint64_t m) const {
    const TsJumpNode& element = elements[m];
    return {element.re,
            element.im,
            re_low[m],
            im_low[m],
            links[m].radius2[tier],
            links[m].first,
            ts_error_exponent(element.levels_and_error) << 8 | links[m].levels[tier]};
  }
  PreciseNodes operator+(std::uint64_t m) const {
    return {elements + m, re_low + m, im_low + m, links + m, tier};
  }
};

struct PreciseEntries {
  const PreciseEntry* entries;
  std::size_t tier;

  PreciseJump operator[](std::uint64_t at) const {
    const PreciseEntry& e = entries[at];
    return {e.radius2[tier], e.a_re, e.a_im, e.q_re, e.q_im, e.b_re, e.b_im, e.length};
  }
};

template <>
struct TsJumps<DoubleDouble> {
  PreciseNodes nodes;
  PreciseEntries entries;
  const TsScaledNode<DoubleDouble>* scaled_nodes;
  const TsScaledEntry<DoubleDouble>* scaled_entries;
  std::uint32_t scaled_count;
};

/// As TsDeepPixel, with 106 bits.
struct PrecisePixel {
  DoubleDouble x, y;
  double error = 0;
  DoubleDouble c_re, c_im;  ///< in the unit of the table
  DoubleDouble plain_re, plain_im;
  DoubleDouble saved_x, saved_y;
  double saved_error = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t rebases = 0;
  std::uint64_t saved_next = 1;
  double smooth_radius2 = 0;
  double smooth_slope2 = 0;
  TsDeepSlope slope{};
  std::uint64_t smooth_m = 0;
  std::uint64_t count = 0;
  std::uint64_t steps = 0;
  std::uint64_t scaled_steps = 0;
};

template <>
struct NumberTypes<double> {
  using Node = TsJumpNode;
  using Entry = TsJumpEntry;
  using Pixel = TsDeepPixel;
};
template <>
struct NumberTypes<DoubleDouble> {
  using Node = PreciseNode;
  using Entry = PreciseJump;
  using Pixel = PrecisePixel;
};

inline double tn_node_re(const TsJumpNode& node) {
  return node.re;
}
inline double tn_node_im(const TsJumpNode& node) {
  return node.im;
}
inline DoubleDouble tn_node_re(const PreciseNode& node) {
  return {node.re, node.re_low};
}
inline DoubleDouble tn_node_im(const PreciseNode& node) {
  return {node.im, node.im_low};
}

[[gnu::always_inline]] inline std::uint32_t tn_quiet_steps(
    const TsDeepLimits& limits, const TsJumpNode* nodes, std::uint32_t most, double scale,
    double rounding, double c_re, double c_im, double step, double* x, double* y, double* error,
    TsDeepSlope* slope) {
  return ts_quiet_steps(limits, nodes, most, scale, rounding, c_re, c_im, step, x, y, error, slope);
}
/// f64 would lose the bits of such a z.
inline std::uint32_t tn_quiet_steps(const TsDeepLimits&, PreciseNodes, std::uint32_t, double,
                                    double, double, double, double, double*, double*, double*,
                                    TsDeepSlope*) {
  return 0;
}

// clang-format off
#include "kernels/deep/scaled_step.h"
#include "kernels/deep/scaled_phase.h"
#include "kernels/deep/paused_phase.h"
// clang-format on

#undef TS_FN
#undef TS_APART
#undef TS_GLOBAL
#undef TS_OF_NUMBERS
#undef TS_NUMBER
#undef TS_TO_NUMBER
#undef TS_COMPLEX
#undef TS_NODE
#undef TS_ENTRY
#undef TS_PIXEL
#undef TS_SCALED_NODE
#undef TS_SCALED_ENTRY
#undef TS_JUMPS
#undef TS_PHASE

}  // namespace tessera::kernels
