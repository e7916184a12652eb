// Sums rows that the windows in registers refused: tiles of kLanes x kLanes elements are transposed
// and summed as columns.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_TRANSPOSED_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_TRANSPOSED_ROWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_TRANSPOSED_ROWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_TRANSPOSED_ROWS_INL
#endif

#include <algorithm>

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Loads kLanes terms of each of kLanes outputs, which are rows of a matrix.
template <class T>
struct LoadRows {
  const T* x;
  std::size_t stride;

  HWY_INLINE void operator()(Real (&unit)[1][kLanes]) const {
    each<kLanes>([&](auto i) TESSERA_INLINE_LAMBDA { unit[0][i] = load_reals(x + i * stride); });
    transpose(unit[0]);
  }
};

template <class Source>
HWY_INLINE void add_tile(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                         const typename Source::Element* x, std::size_t stride, std::size_t column,
                         std::size_t columns) {
  add_or_sort<Source, 1, kLanes>(to, block, first_of_block, column, columns,
                                 LoadRows<typename Source::Element>{x, stride});
}

template <class Source>
HWY_NOINLINE void add_rows_transposed(WindowedColumns& to, ColumnBlock& block,
                                      std::int64_t first_of_block,
                                      const Matrix<typename Source::Element>& m,
                                      std::size_t column) {
  using T = typename Source::Element;
  const auto outputs = static_cast<std::size_t>(m.rows);
  const auto terms = static_cast<std::size_t>(m.columns);
  const auto stride = static_cast<std::size_t>(m.stride);
  if (Source::kKind == Terms::values && !block.all_other) {
    mark_others(block, m.x, terms, 1, column, outputs, stride);
    block.all_other = std::all_of(block.other.begin(),
                                  block.other.begin() + static_cast<std::ptrdiff_t>(block.columns),
                                  [](std::uint64_t other) { return other != 0; });
  }
  for (std::size_t term = 0; term < terms;) {
    const std::size_t end = term + room<Source>(block, terms - term);
    const std::size_t whole = (end - term) / kLanes * kLanes;
    for (std::size_t o = 0; o < outputs; o += kLanes) {
      const T* const rows = m.x + o * stride;
      const std::size_t count = std::min(kLanes, outputs - o);
      std::size_t i = term;
      if (count == kLanes) {
        for (; i < term + whole; i += kLanes) {
          add_tile<Source>(to, block, first_of_block, rows + i, stride, column + o, kLanes);
        }
      }
      for (; i < end; i += kLanes) {
        HWY_ALIGN T rest[kLanes * kLanes] = {};
        for (std::size_t r = 0; r < count; ++r) {
          std::copy(rows + r * stride + i, rows + r * stride + std::min(i + kLanes, end),
                    rest + r * kLanes);
        }
        add_tile<Source>(to, block, first_of_block, rest, kLanes, column + o, count);
      }
    }
    term = end;
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
