// Pixels of deep images in plain C++: the loop of kernels/deep/advance.h in f64, and the numbers of
// 106 bits that continue where f64 leaves a count uncertain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
#define TS_PAIR TsPair<TsNumber>
#define TS_KEPT TsKeptPhase<TsNumber>
#define TS_PIXEL TsPixelOf<TsNumber>
#define TS_SCALED_NODE TsScaledNode<TsNumber>
#define TS_SCALED_ENTRY TsScaledEntry<TsNumber>
#define TS_JUMPS TsJumps<TsNumber>
#define TS_PHASE TsScaledPhase<TsNumber>

// clang-format off
#include "kernels/deep/pairs.h"
#include "kernels/deep/jumps.h"
#include "kernels/deep/precise_jumps.h"
#include "kernels/deep/slopes.h"
// clang-format on

/// Tiers of 106 bits: they have the same jumps, which differ in the terms that are dropped.
inline constexpr std::size_t kPreciseTiers = 2;

using PreciseNode = TsPreciseNode;
using PreciseJump = TsPreciseJump;

/// The entries of an element: a tier has the first ones.
struct PreciseLinks {
  std::array<double, kPreciseTiers> radius2{};  ///< squared radius of the first entry
  std::uint32_t first = 0;
  std::array<std::uint16_t, kPreciseTiers> levels{};
};

/// As TsJumpEntry, with 106 bits, for all tiers.
struct alignas(128) PreciseEntry {
  std::uint64_t length = 0;
  DoubleDouble a_re, a_im, q_re, q_im, b_re, b_im;
  std::array<double, kPreciseTiers> radius2{};
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

template <>
struct NumberTypes<double> {
  using Node = TsJumpNode;
  using Entry = TsJumpEntry;
};
template <>
struct NumberTypes<DoubleDouble> {
  using Node = PreciseNode;
  using Entry = PreciseJump;
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

#include "kernels/deep/offset.h"

/// The sum of two f64, as far as the number holds it, and the product of two such sums.
template <class Number>
[[gnu::always_inline]] inline Number of_parts(double a, double a_low) {
  if constexpr (std::is_same_v<Number, double>) {
    return a;
  } else {
    return {a, a_low};
  }
}
template <class Number>
[[gnu::always_inline]] inline Number product_of_parts(double a, double a_low, double b,
                                                      double b_low) {
  if constexpr (std::is_same_v<Number, double>) {
    return ts_product_of_parts(a, a_low, b, b_low);
  } else {
    return tn_mul(Number{a, a_low}, Number{b, b_low});
  }
}
#define TS_OF_PARTS(a, a_low) of_parts<TsNumber>(a, a_low)
#define TS_PRODUCT(a, a_low, b, b_low) product_of_parts<TsNumber>(a, a_low, b, b_low)

inline double tn_above(const TsPair<double>&, double radius2, double bailout2) {
  return radius2 - bailout2;
}
[[gnu::always_inline]] inline double tn_above(const TsPair<DoubleDouble>& z, double radius2,
                                              double bailout2) {
  return ts_above(z, radius2, bailout2);
}
inline bool tn_escapes(const TsPair<double>&, double, double radius2, double bailout2) {
  return !(radius2 <= bailout2);
}
inline bool tn_escapes(const TsPair<DoubleDouble>&, double above, double, double) {
  return !(above <= 0);
}
[[gnu::always_inline]] inline double tn_absolute_difference(double r, double d, double scale) {
  return ts_scaled_difference_of(r, d, scale);
}
[[gnu::always_inline]] inline DoubleDouble tn_absolute_difference(const DoubleDouble& r,
                                                                  const DoubleDouble& d, double) {
  return ts_absolute_difference(r, d);
}

// clang-format off
#include "kernels/deep/difference.h"
#include "kernels/deep/advance.h"
#undef TS_PAIR
#define TS_PAIR TsPair<double>
#include "kernels/deep/quiet_steps.h"
// clang-format on

using TsDeepPixel = TsPixelOf<double>;
/// The same with 106 bits.
using PrecisePixel = TsPixelOf<DoubleDouble>;

inline double tn_near(const TsPair<double>&) {
  return TS_DEEP_NEAR;
}
inline double tn_near(const TsPair<DoubleDouble>&) {
  return TS_PRECISE_NEAR;
}

[[gnu::always_inline]] inline std::uint32_t tn_quiet_steps(const TsDeepLimits& limits,
                                                           const TsJumpNode* nodes,
                                                           std::uint32_t most, const TsQuiet& quiet,
                                                           TsQuietPoint* point) {
  return ts_quiet_steps(limits, nodes, most, quiet, point);
}
/// f64 would lose the bits of such a z.
inline std::uint32_t tn_quiet_steps(const TsDeepLimits&, PreciseNodes, std::uint32_t,
                                    const TsQuiet&, TsQuietPoint*) {
  return 0;
}

// clang-format off
#include "kernels/deep/scaled_step.h"
#include "kernels/deep/scaled_phase.h"
#include "kernels/deep/paused_phase.h"
// clang-format on

#undef TS_OF_PARTS
#undef TS_PRODUCT
#undef TS_FN
#undef TS_APART
#undef TS_GLOBAL
#undef TS_OF_NUMBERS
#undef TS_NUMBER
#undef TS_TO_NUMBER
#undef TS_COMPLEX
#undef TS_NODE
#undef TS_ENTRY
#undef TS_PAIR
#undef TS_KEPT
#undef TS_PIXEL
#undef TS_SCALED_NODE
#undef TS_SCALED_ENTRY
#undef TS_JUMPS
#undef TS_PHASE

}  // namespace tessera::kernels
