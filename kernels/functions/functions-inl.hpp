// The functions with a vector of f64 as the number: Exp(d, v), ... Included once per instruction
// set, like all "-inl" files of Highway; the toggle below replaces an include guard.
#if defined(TESSERA_KERNELS_FUNCTIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_KERNELS_FUNCTIONS_INL
#undef TESSERA_KERNELS_FUNCTIONS_INL
#else
#define TESSERA_KERNELS_FUNCTIONS_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/functions/functions.hpp"
#include "kernels/functions/tables.hpp"
#include "kernels/real/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::kernels::functions::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using namespace kernels::HWY_NAMESPACE;

// Highway's fused operations round twice on sets that lack them: these take the scalar functions.
#undef TESSERA_VECTOR_FUNCTIONS
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && \
    (!HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX2)
#define TESSERA_VECTOR_FUNCTIONS

/// The rows that start at `rows[at[0]]`, `rows[at[step]]`, ...: two numbers of each, one row a
/// block.
template <class D>
HWY_INLINE hn::Vec<D> load_rows(D d, const double* rows, const std::uint64_t* at,
                                std::size_t step) {
  if constexpr (hn::MaxLanes(d) <= 2) {
    return hn::LoadU(d, rows + at[0]);
  } else {
    const hn::Half<D> half;
    const std::size_t blocks = hn::MaxLanes(half) / 2;
    return hn::Combine(d, load_rows(half, rows, at + blocks * step, step),
                       load_rows(half, rows, at, step));
  }
}

/// Two neighbours in the rows of a table; `at` are the places of the first ones. Loads of pairs are
/// faster than gathers.
HWY_INLINE void look_up_pairs(const double* table, BitsOfReal at, Real* a, Real* b) {
  const Reals d;
  HWY_ALIGN std::uint64_t places[hn::MaxLanes(d)];
  hn::Store(at, Bits(), places);
  const Real even = load_rows(d, table, places, 2);
  const Real odd = load_rows(d, table, places + 1, 2);
  *a = hn::InterleaveLower(d, even, odd);
  *b = hn::InterleaveUpper(d, even, odd);
}

#if HWY_TARGET == HWY_AVX3

/// A column of a table with 16 rows of two numbers.
template <std::size_t kColumn>
constexpr std::array<double, 16> column_of(const double (&table)[32]) {
  std::array<double, 16> column = {};
  for (std::size_t row = 0; row < 16; ++row) column[row] = table[2 * row + kColumn];
  return column;
}

template <const double (&kTable)[32], std::size_t kColumn>
HWY_INLINE Real look_up_column(BitsOfReal row) {
  alignas(64) static constexpr std::array<double, 16> kNumbers = column_of<kColumn>(kTable);
  const Reals d;
  return Real{_mm512_permutex2var_pd(hn::Load(d, kNumbers.data()).raw, row.raw,
                                     hn::Load(d, kNumbers.data() + 8).raw)};
}

template <const double (&kTable)[32]>
HWY_INLINE void look_up_16(BitsOfReal row, Real* a, Real* b) {
  *a = look_up_column<kTable, 0>(row);
  *b = look_up_column<kTable, 1>(row);
}

#else

template <const double (&kTable)[32]>
HWY_INLINE void look_up_16(BitsOfReal row, Real* a, Real* b) {
  look_up_pairs(kTable, hn::ShiftLeft<1>(row), a, b);
}

#endif

#define TS_FN HWY_INLINE
#define TS_REAL Real
#define TS_BITS BitsOfReal
#define TS_MASK Mask
#define TS_CONSTANTS const double*
#define TS_LENGTH(table) static_cast<int>(sizeof(table) / sizeof(table[0]))
#define ts_shift_left(bits, n) hn::ShiftLeft<n>(bits)
#define ts_shift_right(bits, n) hn::ShiftRight<n>(bits)
#define TS_ROW(table, width, first, bits, a, b) \
  look_up_pairs((table) + (first), hn::ShiftLeft<hwy::CeilLog2(width)>(bits), a, b)
#define TS_ROW_OF_16(table, bits, a, b) look_up_16<table>(bits, a, b)
#include "kernels/functions/functions.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK
#undef TS_CONSTANTS
#undef TS_LENGTH
#undef ts_shift_left
#undef ts_shift_right
#undef TS_ROW
#undef TS_ROW_OF_16

#define TS_ONE(name, Name)                 \
  template <class D, class V = hn::Vec<D>> \
  HWY_INLINE V Name(D /*d*/, V x) {        \
    return tf_##name(x);                   \
  }
#define TS_TWO(name, Name)                 \
  template <class D, class V = hn::Vec<D>> \
  HWY_INLINE V Name(D /*d*/, V x, V y) {   \
    return tf_##name(x, y);                \
  }

#else

#define TS_ONE(name, Name)                                   \
  template <class D, class V = hn::Vec<D>>                   \
  HWY_INLINE V Name(D d, V x) {                              \
    HWY_ALIGN double lanes[hn::MaxLanes(d)];                 \
    hn::Store(x, d, lanes);                                  \
    for (double& lane : lanes) lane = functions::name(lane); \
    return hn::Load(d, lanes);                               \
  }
#define TS_TWO(name, Name)                              \
  template <class D, class V = hn::Vec<D>>              \
  HWY_INLINE V Name(D d, V x, V y) {                    \
    HWY_ALIGN double lanes[hn::MaxLanes(d)];            \
    HWY_ALIGN double others[hn::MaxLanes(d)];           \
    hn::Store(x, d, lanes);                             \
    hn::Store(y, d, others);                            \
    for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) { \
      lanes[i] = functions::name(lanes[i], others[i]);  \
    }                                                   \
    return hn::Load(d, lanes);                          \
  }

#endif

TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO

}  // namespace tessera::kernels::functions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
