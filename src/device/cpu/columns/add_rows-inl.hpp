// Adds the rows of a matrix to outputs.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ADD_ROWS_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/columns/strips-inl.hpp"
#include "device/cpu/simd/plain_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class Source>
HWY_NOINLINE void add_rows_to_block(WindowedColumns& to, ColumnBlock& block,
                                    std::int64_t first_of_block,
                                    const Matrix<typename Source::Element>& m, std::size_t column) {
  using RowStrips = Strips<Source, true>;
  /// Terms of a row for which windows of its lanes have room.
  // crossed by: of_outputs_and_their_elements, of_rows_that_are_long
  constexpr std::size_t kStretch = kLanes * ColumnBlock::kMaxTerms / (Source::kHasError ? 2 : 1);
  constexpr auto kStrip = static_cast<std::int64_t>(RowStrips::kStrip);
  const auto terms = static_cast<std::size_t>(m.columns);
  const auto stride = static_cast<std::size_t>(m.stride);
  // Plain sums of f32 are larger than their terms. Windows that hold them hold most outliers, too.
  const int growth =
      RowStrips::kIsPlain ? std::min(static_cast<int>(std::bit_width(terms)), 16) : 0;
  if (block.windows() == 0 && !start_windows<Source>(block, m, growth)) {
    if (Source::kKind == Terms::values) {
      mark_others(block, m.x, terms, 1, column, static_cast<std::size_t>(m.rows), stride);
    }
    return;
  }
  RowStrips strips(to, block, first_of_block, RowStrips::kStrip * stride);
  std::int64_t r = 0;
  for (; block.windows() > 0 && r + kStrip <= m.rows; r += kStrip) {
    for (std::size_t i = 0; i < terms; i += kStretch) {
      strips.add(m.x + r * m.stride + i, stride, std::min(kStretch, terms - i),
                 column + static_cast<std::size_t>(r));
    }
  }
  for (; r < m.rows; r += kStrip) {
    add_units_of_rows<Source>(
        to, block, first_of_block,
        {m.x + r * m.stride, std::min(kStrip, m.rows - r), m.columns, m.stride},
        column + static_cast<std::size_t>(r));
  }
}

template <class T, Terms kTerms>
void add_rows(const Matrix<T>& m, WindowedColumns& to, std::int64_t first) {
  const PlainArithmetic arithmetic;
  for_each_block(to, first, m.rows,
                 [&](ColumnBlock& block, std::int64_t first_of_block, std::int64_t output,
                     std::int64_t count) {
                   add_rows_to_block<TermsOf<T, kTerms>>(
                       to, block, first_of_block,
                       {m.x + (output - first) * m.stride, count, m.columns, m.stride},
                       static_cast<std::size_t>(output - first_of_block));
                 });
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
