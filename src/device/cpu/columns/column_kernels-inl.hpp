// Sums of columns and of rows in the code of one instruction set, which is HWY_TARGET.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_COLUMN_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_KERNELS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_KERNELS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_COLUMN_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <cctype>
#include <cmath>

#include "device/cpu/columns/column_kernels.hpp"
#if HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA
#include "device/cpu/columns/add_columns-inl.hpp"
#include "device/cpu/columns/add_rows-inl.hpp"
#include "device/cpu/columns/column_rounding-inl.hpp"
#else
#include "device/cpu/columns/term_filter.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

#if !(HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA)

template <class T, Terms kTerms>
void add_columns(const Matrix<T>& m, WindowedColumns& to, std::int64_t first) {
  TermFilter filter(to, kTerms, true);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t c = 0; c < m.columns; ++c) {
      int top = 0;
      const double x = m.x[r * m.stride + c];
      const double left = filter.sort(x, first + c, top);
      if (left != 0) to.add_residual(first + c, left);
      const auto output = static_cast<std::size_t>(first + c);
      ColumnBlock& block = to.blocks()[output / ColumnBlock::kColumns];
      if (x == x && (x != 0 || !std::signbit(x))) block.other[output % ColumnBlock::kColumns] = 1;
    }
  }
}
template <class T, Terms kTerms>
void add_rows(const Matrix<T>& m, WindowedColumns& to, std::int64_t first) {
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t c = 0; c < m.columns; ++c) {
      add_columns<T, kTerms>({m.x + r * m.stride + c, 1, 1, 1}, to, first + r);
    }
  }
}

inline void all_again(const WindowedColumns& sums, std::vector<std::int64_t>& again) {
  for (std::int64_t o = 0; o < sums.outputs(); ++o) again.push_back(o);
}
inline void quotients(const WindowedColumns& sums, std::uint64_t, double*,
                      std::vector<std::int64_t>& again) {
  all_again(sums, again);
}
inline void roots(const WindowedColumns& squares, double*, std::vector<std::int64_t>& again) {
  all_again(squares, again);
}
inline void deviations(const WindowedColumns& sums, const WindowedColumns&, const Deviation&,
                       double*, std::vector<std::int64_t>& again) {
  all_again(sums, again);
}

#endif

template <class T>
constexpr ColumnKernels<T> kernels_of() {
  return {
      {&add_columns<T, Terms::values>, &add_columns<T, Terms::magnitudes>,
       &add_columns<T, Terms::squares>},
      {&add_rows<T, Terms::values>, &add_rows<T, Terms::magnitudes>, &add_rows<T, Terms::squares>}};
}
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
// NOLINTNEXTLINE(misc-definitions-in-headers): one source includes it for each target
WindowedColumnKernels column_sum_set<HWY_TARGET>() {
  return {HWY_NAMESPACE::kernels_of<double>(),
          HWY_NAMESPACE::kernels_of<float>(),
          {&HWY_NAMESPACE::quotients, &HWY_NAMESPACE::roots, &HWY_NAMESPACE::deviations}};
}
}  // namespace tessera::device::cpu

#endif
