// Adds the columns or the rows of a matrix unit by unit: slower than strips, but for any terms.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_MATRIX_UNITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_MATRIX_UNITS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_MATRIX_UNITS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_MATRIX_UNITS_INL
#endif

#include <algorithm>

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/columns/strip_steps-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Loads kRows rows of kWide vectors of columns.
template <class T, std::size_t kRows>
struct LoadColumns {
  const T* x;
  std::size_t stride;

  HWY_INLINE void operator()(Real (&unit)[kWide][kRows]) const {
    each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
      each<kWide>([&](auto v) TESSERA_INLINE_LAMBDA {
        unit[v][i] = load_reals(x + i * stride + v * kLanes);
      });
    });
  }
};

/// Adds kRows rows of `columns` columns, which lie in one block.
template <class Source, std::size_t kRows>
HWY_INLINE void add_rows_of_block(WindowedColumns& to, ColumnBlock& block,
                                  std::int64_t first_of_block, const typename Source::Element* x,
                                  std::size_t stride, std::size_t column, std::size_t columns) {
  using T = typename Source::Element;
  constexpr std::size_t kColumns = kWide * kLanes;
  std::size_t c = 0;
  for (; c + kColumns <= columns; c += kColumns) {
    add_or_sort<Source, kWide, kRows>(to, block, first_of_block, column + c, kColumns,
                                      LoadColumns<T, kRows>{x + c, stride});
  }
  if (c == columns) return;
  HWY_ALIGN T last[kRows * kColumns] = {};
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy(x + i * stride + c, x + i * stride + columns, last + i * kColumns);
  }
  add_or_sort<Source, kWide, kRows>(to, block, first_of_block, column + c, columns - c,
                                    LoadColumns<T, kRows>{last, kColumns});
}

/// Adds the columns of any number of rows.
template <class Source>
void add_units_of_columns(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                          const typename Source::Element* x, std::size_t stride, std::size_t rows,
                          std::size_t column, std::size_t columns) {
  if (columns == 0) return;
  const auto add = [&](auto tall) TESSERA_INLINE_LAMBDA {
    for (; rows >= tall; rows -= tall, x += tall * stride) {
      add_rows_of_block<Source, tall>(to, block, first_of_block, x, stride, column, columns);
    }
  };
  add(std::integral_constant<std::size_t, kTall>());
  add(std::integral_constant<std::size_t, kFew>());
  add(std::integral_constant<std::size_t, 1>());
}

/// Adds up to kLanes rows of a matrix: tiles of kLanes x kLanes elements are transposed and added
/// as columns, to windows of their own, since those of the block would be carried too often.
template <class Source>
HWY_NOINLINE void add_units_of_rows(WindowedColumns& to, ColumnBlock& block,
                                    std::int64_t first_of_block,
                                    const Matrix<typename Source::Element>& m, std::size_t column) {
  using T = typename Source::Element;
  using Tiles = RowSteps<T>;
  const auto rows = static_cast<std::size_t>(m.rows);
  const auto terms = static_cast<std::size_t>(m.columns);
  const auto stride = static_cast<std::size_t>(m.stride);
  if (Source::kKind == Terms::values) mark_others(block, m.x, terms, 1, column, rows, stride);
  ColumnBlock& part = to.part_like(block, kLanes);
  const std::int64_t output = first_of_block + static_cast<std::int64_t>(column);
  const auto add = [&](const Tiles& tile) TESSERA_INLINE_LAMBDA {
    add_or_sort<Source, 1, kLanes>(to, part, output, 0, rows,
                                   [tile](typename Tiles::Elements& unit) TESSERA_INLINE_LAMBDA {
                                     Tiles at = tile;
                                     at.next(unit);
                                     at.turn(unit);
                                   });
  };
  for (std::size_t term = 0; term < terms;) {
    const std::size_t end = term + room<Source>(part, terms - term);
    for (; term < end; term += kLanes) {
      const std::size_t some = std::min(kLanes, end - term);
      if (HWY_LIKELY(rows == kLanes)) {
        add({m.x + term, stride, some, 0});
        continue;
      }
      HWY_ALIGN T tile[kLanes * kLanes] = {};
      for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(m.x + r * stride + term, some, tile + r * kLanes);
      }
      add({tile, kLanes, kLanes, 0});
    }
    term = end;
  }
  for (std::size_t r = 0; r < rows; ++r) block.fold(column + r, part, r, kLanes, kLanes);
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
