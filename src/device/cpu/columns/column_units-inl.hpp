// Units: a few terms of some outputs, added by windows or element by element. Also what columns and
// rows have in common.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_COLUMN_UNITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_UNITS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_UNITS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_COLUMN_UNITS_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "device/cpu/columns/column_kernels.hpp"
#include "device/cpu/columns/column_windows-inl.hpp"
#include "device/cpu/columns/term_filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Number of vectors of outputs in flight: enough to hide latencies, few enough for the registers.
inline constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
// crossed by: of_outputs_and_their_elements, TakeMatricesOfAnyShape
inline constexpr std::size_t kWide = kManyRegisters ? 2 : 1;
inline constexpr std::size_t kTall = 8;
/// Rows that are read side by side; more would be too many memory streams.
// crossed by: of_outputs_and_their_elements, TakeMatricesOfAnyShape
inline constexpr std::size_t kFew = 4;

/// Counts NaN and infinities among the elements of a unit, stored row after row, and sets them to
/// 0. Returns the largest magnitude of the others.
template <std::size_t kColumns, std::size_t kRows>
HWY_NOINLINE double defer_outliers(WindowedColumns& to, std::int64_t output, std::size_t columns,
                                   double* x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  HWY_ALIGN double largest[kColumns] = {};
  bool finite = true;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      const double size = std::abs(x[i * kColumns + c]);
      const double kept = size < kInfinity ? size : 0.0;
      finite &= size < kInfinity;
      largest[c] = kept > largest[c] ? kept : largest[c];
    }
  }
  if (!finite) {
    ColumnSpecials* const specials = to.specials();
    if (specials != nullptr) {
      specials->make_room(static_cast<std::size_t>(to.outputs()));
      const auto first = static_cast<std::size_t>(output);
      std::int64_t* HWY_RESTRICT const nans = &specials->nans[first];
      std::int64_t* HWY_RESTRICT const positive = &specials->positive_infinities[first];
      std::int64_t* HWY_RESTRICT const negative = &specials->negative_infinities[first];
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t c = 0; c < columns; ++c) {
          const double element = x[i * kColumns + c];
          nans[c] += element == element ? 0 : 1;
          positive[c] += element == kInfinity ? 1 : 0;
          negative[c] += element == -kInfinity ? 1 : 0;
        }
      }
    }
    for (std::size_t j = 0; j < kRows * kColumns; ++j) {
      x[j] = std::abs(x[j]) < kInfinity ? x[j] : 0.0;
    }
  }
  return *std::max_element(largest, largest + kColumns);
}

/// Adds a unit that a window refused to a higher window, which is created if necessary. Elements
/// that no window can hold are added individually. Not inlined, because the fast path would then
/// keep its loaded vectors.
template <class Source, std::size_t kVectors, std::size_t kRows, class Load>
HWY_NOINLINE void add_irregular(WindowedColumns& to, ColumnBlock& block, std::int64_t output,
                                std::size_t column, std::size_t columns, Load load) {
  constexpr std::size_t kColumns = kVectors * kLanes;
  HWY_ALIGN double x[kRows * kColumns];
  {
    Real unit[kVectors][kRows];
    load(unit);
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
        hn::StoreU(unit[v][i], Reals(), x + i * kColumns + v * kLanes);
      });
    });
  }
  const double largest = defer_outliers<kColumns, kRows>(to, output, columns, x);
  if (largest == 0) return;
  const double term = Source::kKind == Terms::squares ? largest * largest : largest;
  int top = static_cast<int>(std::bit_cast<std::uint64_t>(term) >> 52) - 1022;
  if (Source::kHasError || top > 1000) {
    top = -2000;
    TermFilter filter(to, Source::kKind, Source::kHasError);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        double& element = x[i * kColumns + c];
        element = filter.sort(element, output + static_cast<std::int64_t>(c), top);
      }
    }
    if (top == -2000) return;
  }
  const auto load_again = [&x](Real(&unit)[kVectors][kRows]) TESSERA_INLINE_LAMBDA {
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
        unit[v][i] = hn::LoadU(Reals(), x + i * kColumns + v * kLanes);
      });
    });
  };
  if (block.windows() == 0) block.start(top + 1, Source::kDefaultWindows);
  // The window may have refused the unit only because of NaN and infinities.
  if (add_unit<Source, kVectors, kRows>(block, block.usual, column, load_again)) return;
  const std::size_t k = block.window_for(top);
  if (k != ColumnBlock::kNone && add_unit<Source, kVectors, kRows>(block, k, column, load_again)) {
    return;
  }
  // The window would lie beyond the largest f64.
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (x[i * kColumns + c] == 0) continue;
      to.add_residual(output + static_cast<std::int64_t>(c), x[i * kColumns + c]);
    }
  }
}

/// Adds one unit, which load(x) loads: x[v][i] is term i of the outputs of vector v. Only the first
/// `columns` outputs are used.
template <class Source, std::size_t kVectors, std::size_t kRows, class Load>
HWY_INLINE void add_or_sort(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                            std::size_t column, std::size_t columns, const Load& load) {
  if (HWY_LIKELY(block.windows() > 0) &&
      HWY_LIKELY((add_unit<Source, kVectors, kRows>(block, block.usual, column, load)))) {
    return;
  }
  add_irregular<Source, kVectors, kRows, Load>(
      to, block, first_of_block + static_cast<std::int64_t>(column), column, columns, load);
}

/// Marks outputs that have a term other than -0.0; stops when all are marked.
template <class T>
HWY_NOINLINE void mark_others(ColumnBlock& block, const T* x, std::size_t terms, std::size_t step,
                              std::size_t column, std::size_t columns, std::size_t column_step) {
  bool all = false;
  for (std::size_t i = 0; i < terms && !all; ++i) {
    all = true;
    for (std::size_t c = 0; c < columns; ++c) {
      const double term = x[i * step + c * column_step];
      const bool other = term == term && std::bit_cast<std::uint64_t>(term) != std::uint64_t{1}
                                                                                   << 63;
      block.other[column + c] |= static_cast<std::uint64_t>(other);
      all &= block.other[column + c] != 0;
    }
  }
}

/// Marks the outputs of a vector that have bits. Returns whether all have.
HWY_INLINE bool mark_nonzero(ColumnBlock& block, std::size_t column, BitsOfReal bits) {
  std::uint64_t* const other = &block.other[column];
  const auto some = hn::Ne(bits, hn::Zero(Bits()));
  const auto marks = hn::IfThenElseZero(some, hn::Set(Bits(), 1));
  hn::StoreU(hn::Or(hn::LoadU(Bits(), other), marks), Bits(), other);
  return hn::AllTrue(Bits(), some);
}

/// Adds an element that is larger than most, or not finite.
template <class Source>
void add_outlier(WindowedColumns& to, ColumnBlock& block, std::int64_t first_of_block,
                 std::size_t column, double element) {
  const std::int64_t output = first_of_block + static_cast<std::int64_t>(column);
  int top = 0;
  const double x = TermFilter(to, Source::kKind, Source::kHasError).sort(element, output, top);
  if (x == 0) return;
  const double term = Source::kKind == Terms::squares      ? x * x
                      : Source::kKind == Terms::magnitudes ? std::abs(x)
                                                           : x;
  if (!block.add_term(column, term)) {
    to.add_residual(output, x);
  } else if (Source::kHasError) {
    block.add_term(column, std::fma(x, x, -term));
  }
}

/// A bound below which most elements lie: the median of the maxima of a few stretches that are not
/// all zeros, so outliers have no effect. Ignores NaN and infinities and sets `finite` to false if
/// there are any; 0 if the others are all zeros.
template <class T>
HWY_NOINLINE double default_size(const Matrix<T>& m, bool& finite) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr std::int64_t kStretch = 32;
  constexpr std::size_t kStretches = 15;
  std::array<T, kStretches> largest{};
  std::size_t found = 0;
  for (std::int64_t r = 0; r < m.rows && found < kStretches; ++r) {
    for (std::int64_t i = 0; i < m.columns && found < kStretches; i += kStretch) {
      const T* const x = m.x + r * m.stride + i;
      const std::int64_t count = std::min(kStretch, m.columns - i);
      for (std::int64_t j = 0; j < count; ++j) {
        const T size = std::abs(x[j]);
        finite &= size < kInfinity;
        largest[found] = size < kInfinity ? std::max(size, largest[found]) : largest[found];
      }
      found += largest[found] > 0 ? 1 : 0;
    }
  }
  std::ranges::sort(largest, std::greater<>());  // zeros last
  return found > 0 ? static_cast<double>(largest[(found - 1) / 2]) : 0;
}

/// The exponent above the terms of elements of that size; nothing if it is outside the range of
/// windows.
template <class Source>
std::optional<int> top_of(double size) {
  const double term = Source::kKind == Terms::squares ? size * size : size;
  if (!(term < 0x1p+990) || term < 0x1p-850) return std::nullopt;
  return static_cast<int>(std::bit_cast<std::uint64_t>(term) >> 52) - 1022;
}

/// Starts the windows for terms of the usual size, or larger by up to `growth` bits. False if all
/// elements are zeros.
template <class Source>
bool start_windows(ColumnBlock& block, const Matrix<typename Source::Element>& m, int growth = 0) {
  bool finite = true;
  const double size = default_size(m, finite);
  const auto top = top_of<Source>(size);
  if (top) block.start(*top + 2 + growth, Source::kDefaultWindows);
  return size != 0 || !finite;
}

/// Creates windows so that kWindows of them follow from the usual one on. False if their exponents
/// would not be consecutive.
template <std::size_t kWindows>
bool has_windows(ColumnBlock& block) {
  constexpr int kBelow = (static_cast<int>(kWindows) - 1) * ColumnBlock::kStepBits;
  const int lowest = block.exponents[block.usual] - kBelow;
  if (lowest < ColumnBlock::kLowest) return false;
  while (block.windows() < block.usual + kWindows) block.add_below();
  return block.exponents[block.usual + kWindows - 1] == lowest;
}

/// Reserves room in the windows for `terms` more terms of each output.
inline void take_room(ColumnBlock& block, int terms) {
  if (block.terms + terms > ColumnBlock::kMaxTerms) block.carry();
  block.terms += terms;
}

/// Reserves room in the windows for up to `requested` more terms of each output. Returns the number
/// of terms.
template <class Source>
HWY_INLINE std::size_t room(ColumnBlock& block, std::size_t requested) {
  constexpr int kEach = Source::kHasError ? 2 : 1;
  constexpr int kMin = static_cast<int>(kTall) * kEach;
  if (block.terms + kMin > ColumnBlock::kMaxTerms) {
    block.carry();
  }
  const auto free = static_cast<std::size_t>((ColumnBlock::kMaxTerms - block.terms) / kEach);
  const std::size_t taken = std::min(requested, free);
  block.terms += static_cast<int>(taken) * kEach;
  return taken;
}

/// Calls work(block, first output of the block, first output, count) for each block of outputs.
template <class Work>
HWY_INLINE void for_each_block(WindowedColumns& to, std::int64_t first, std::int64_t outputs,
                               const Work& work) {
  constexpr auto kColumns = static_cast<std::int64_t>(ColumnBlock::kColumns);
  for (std::int64_t o = first; o < first + outputs;) {
    const std::int64_t number = o / kColumns;
    const std::int64_t end = std::min(first + outputs, (number + 1) * kColumns);
    work(to.blocks()[static_cast<std::size_t>(number)], number * kColumns, o, end - o);
    o = end;
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
