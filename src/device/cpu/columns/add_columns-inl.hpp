// Adds the columns of a matrix to outputs.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ADD_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ADD_COLUMNS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ADD_COLUMNS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ADD_COLUMNS_INL
#endif

#include <algorithm>

#include "device/cpu/columns/strips-inl.hpp"
#include "device/cpu/simd/plain_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Prefetches the cache lines to the right of some rows that are read in full. They are loaded into
/// the L1 cache; prefetching them into L2 is too late.
template <class T>
HWY_INLINE void ask_ahead(const T* x, std::size_t stride, std::size_t rows, std::size_t columns,
                          std::size_t ahead) {
  if (ahead >= stride) return;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* const at = x + r * stride + ahead;
    for (std::size_t c = 0; c < columns; c += 64 / sizeof(T)) __builtin_prefetch(at + c);
  }
}

/// `ahead`: distance, in elements, of the memory to prefetch.
template <class Source>
HWY_NOINLINE void add_to_block(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                               const Matrix<typename Source::Element>& m, std::size_t column,
                               std::size_t ahead) {
  const auto rows = static_cast<std::size_t>(m.rows);
  const auto columns = static_cast<std::size_t>(m.columns);
  const auto stride = static_cast<std::size_t>(m.stride);
  if (Source::kKind == Terms::values && !block.all_other) {
    mark_others(block, m.x, rows, stride, column, columns, 1);
    block.all_other = std::all_of(block.other.begin(),
                                  block.other.begin() + static_cast<std::ptrdiff_t>(block.columns),
                                  [](std::uint64_t other) { return other != 0; });
  }
  if (block.windows() == 0 && !start_windows<Source>(block, m)) return;
  Strips<Source, false> strips(to, block, first_of_block, ahead);
  // If rows are far apart in memory, only a few of them are read side by side.
  const bool near = stride * sizeof(typename Source::Element) <= 1024;
  for (std::size_t row = 0; row < rows;) {
    const std::size_t together = near ? rows - row : std::min(kTall, rows - row);
    const std::size_t taken = room<Source>(block, together);
    const auto* const x = m.x + row * stride;
    std::size_t c = 0;
    for (; block.windows() > 0 && c + strips.kStrip <= columns; c += strips.kStrip) {
      ask_ahead(x + c, stride, taken, strips.kStrip, ahead);
      strips.add(x + c, stride, taken, column + c);
    }
    add_units_of_columns<Source>(to, block, first_of_block, x + c, stride, taken, column + c,
                                 columns - c);
    row += taken;
  }
}

template <class T, Terms kTerms>
void add_columns(const Matrix<T>& m, WindowedColumns& to, std::int64_t first) {
  using Source = TermsOf<T, kTerms>;
  const PlainArithmetic arithmetic;
  // Long rows pass side by side through all blocks, so the memory needed next lies to the right of
  // the elements being read. Prefetching it loads more memory in parallel than prefetching the rows
  // below.
  // crossed by: of_outputs_and_their_elements, TakeMatricesOfAnyShape
  constexpr std::int64_t kLongBytes = 16384;
  constexpr std::size_t kAheadBytes = 2048;
  const bool is_long = m.columns * static_cast<std::int64_t>(sizeof(T)) >= kLongBytes;
  const std::size_t ahead =
      is_long ? kAheadBytes / sizeof(T) : kTall * static_cast<std::size_t>(m.stride);
  for (std::int64_t r = 0, together = m.rows; r < m.rows; r += together) {
    // Slower methods are not limited by memory.
    const bool quick = to.pace().method <= StripMethod::windows;
    if (is_long) together = static_cast<std::int64_t>(quick ? kFew : kTall);
    for_each_block(to, first, m.columns,
                   [&](ColumnBlock& block, std::int64_t first_of_block, std::int64_t output,
                       std::int64_t count) {
                     const Matrix<T> part{m.x + r * m.stride + (output - first),
                                          std::min(together, m.rows - r), count, m.stride};
                     add_to_block<Source>(to, block, first_of_block, part,
                                          static_cast<std::size_t>(output - first_of_block), ahead);
                   });
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
