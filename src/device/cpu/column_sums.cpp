// Sums of columns and of rows, compiled once for every instruction set.
#include "device/cpu/column_sums.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

// As in exact_sum.cpp.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/column_sums.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_HAVE_FLOAT64
#include "device/cpu/column_windows-inl.hpp"
#include "device/cpu/transpose-inl.hpp"
#endif

#ifndef TESSERA_DEVICE_CPU_COLUMN_SUMS_ONCE
#define TESSERA_DEVICE_CPU_COLUMN_SUMS_ONCE
namespace tessera::device::cpu {

/// As in exact_sum.cpp.
class PlainArithmetic {
 public:
  PlainArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() { std::fesetenv(&saved_); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  std::fenv_t saved_;
};

/// Specialised by each compilation below.
template <std::int64_t target>
ColumnSumSet column_sum_set();

/// The square of a number between these has an exact error, and is finite.
inline constexpr double kSmallestSquared = 0x1p-479;
inline constexpr double kLargestSquared = 0x1p+511;

/// Elements that windows as they are did not take, one at a time.
class Sorter {
 public:
  Sorter(ColumnSums& sums, Terms terms, bool has_error)
      : sums_(sums), terms_(terms), has_error_(has_error) {}

  /// The element if windows can take it, 0 if it has been dealt with. `top` becomes at least the
  /// exponent above its term.
  double sort(double x, std::int64_t output, int& top) {
    if (!std::isfinite(x)) {
      count(x, static_cast<std::size_t>(output));
      return 0;
    }
    const double size = std::abs(x);
    const bool squares = terms_ == Terms::squares;
    const bool outside =
        squares ? (has_error_ && size < kSmallestSquared && size > 0) || size >= kLargestSquared
                : size >= 0x1p+1000;
    if (outside) {
      sums_.spill(output, x);
      return 0;
    }
    const double term = squares ? x * x : size;
    if (term > 0)
      top = std::max(top, static_cast<int>(std::bit_cast<std::uint64_t>(term) >> 52) - 1022);
    return x;
  }

 private:
  void count(double x, std::size_t output) {
    ColumnSpecials* const specials = sums_.specials();
    if (specials == nullptr) return;
    specials->make_room(static_cast<std::size_t>(sums_.outputs()));
    ++(std::isnan(x) ? specials->nans
       : x > 0       ? specials->positive_infinities
                     : specials->negative_infinities)[output];
  }

  ColumnSums& sums_;
  Terms terms_;
  bool has_error_;
};

}  // namespace tessera::device::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

#if HWY_HAVE_FLOAT64

/// Vectors of outputs in flight at once: enough to hide latencies, few enough for the registers.
inline constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
inline constexpr std::size_t kWide = kManyRegisters ? 2 : 1;
inline constexpr std::size_t kTall = 8;

/// Squares of f64 need the error of a product, which without fused multiply-add is dearer than
/// integers.
template <class Source>
inline constexpr bool kByVectors = !Source::kHasError || HWY_NATIVE_FMA;

/// Elements of a unit in memory, row behind row; what is not finite is counted and set to 0.
/// Returns the largest of the others.
template <std::size_t kColumns, std::size_t kRows>
HWY_NOINLINE double set_apart(ColumnSums& to, std::int64_t output, std::size_t columns, double* x) {
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

/// A unit that a window refused: to a higher one, which may have to be made; elements that no
/// window can take go one by one. Not inlined, or the quick way would keep what it has loaded.
template <class Source, std::size_t kVectors, std::size_t kRows, class Load>
HWY_NOINLINE void add_irregular(ColumnSums& to, ColumnBlock& block, std::int64_t output,
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
  const double largest = set_apart<kColumns, kRows>(to, output, columns, x);
  if (largest == 0) return;
  const double term = Source::kKind == Terms::squares ? largest * largest : largest;
  int top = static_cast<int>(std::bit_cast<std::uint64_t>(term) >> 52) - 1022;
  if (Source::kHasError || top > 1000) {
    top = -2000;
    Sorter sorter(to, Source::kKind, Source::kHasError);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        double& element = x[i * kColumns + c];
        element = sorter.sort(element, output + static_cast<std::int64_t>(c), top);
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
  if (block.windows() == 0) block.start(top + 1, Source::kUsualWindows);
  // NaN and infinities may have been all that was wrong.
  if (add_unit<Source, kVectors, kRows>(block, block.usual, column, load_again)) return;
  const std::size_t k = block.window_for(top);
  if (k != ColumnBlock::kNone && add_unit<Source, kVectors, kRows>(block, k, column, load_again)) {
    return;
  }
  // Too near the upper end of all numbers for one more window.
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (x[i * kColumns + c] == 0) continue;
      to.spill(output + static_cast<std::int64_t>(c), x[i * kColumns + c]);
    }
  }
}

/// One unit, which load(x) brings; x[v][i] is term i of the outputs of vector v, of which `columns`
/// count.
template <class Source, std::size_t kVectors, std::size_t kRows, class Load>
HWY_INLINE void add_or_sort(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                            std::size_t column, std::size_t columns, const Load& load) {
  if (HWY_LIKELY(block.windows() > 0) &&
      HWY_LIKELY((add_unit<Source, kVectors, kRows>(block, block.usual, column, load)))) {
    return;
  }
  add_irregular<Source, kVectors, kRows, Load>(
      to, block, first_of_block + static_cast<std::int64_t>(column), column, columns, load);
}

/// kRows rows of kWide vectors of columns.
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

/// kRows rows of `columns` columns, which lie in one block.
template <class Source, std::size_t kRows>
HWY_INLINE void add_rows_of_block(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                                  const typename Source::Element* x, std::size_t stride,
                                  std::size_t column, std::size_t columns) {
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

/// Marks outputs that have a term besides -0.0, as long as there are others.
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

/// Room in the windows for so many more terms of each output.
template <class Source>
HWY_INLINE std::size_t room(ColumnBlock& block, std::size_t wanted) {
  constexpr int kEach = Source::kHasError ? 2 : 1;
  constexpr int kLeast = static_cast<int>(kTall) * kEach;
  if (block.terms + kLeast > ColumnBlock::kMostTerms) {
    block.carry();
  }
  const auto free = static_cast<std::size_t>((ColumnBlock::kMostTerms - block.terms) / kEach);
  const std::size_t taken = std::min(wanted, free);
  block.terms += static_cast<int>(taken) * kEach;
  return taken;
}

/// Groups of kTall rows of 2 * kWide vectors of columns.
template <class Source>
HWY_INLINE void add_groups(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                           const typename Source::Element* x, std::size_t stride,
                           std::size_t column, std::size_t groups) {
  using T = typename Source::Element;
  constexpr std::size_t kAhead = 6144 / sizeof(T);
  for (std::size_t g = 0; g < groups;) {
    const T* const rows = x + g * kTall * stride;
    const auto load = [=](std::size_t group, auto i, auto v) TESSERA_INLINE_LAMBDA {
      const T* const at = rows + (group * kTall + i) * stride + v * kLanes;
      __builtin_prefetch(at + kAhead);
      return load_reals(at);
    };
    g += add_steady<Source, 2 * kWide, kTall>(block, column, groups - g, load);
    if (g == groups) return;
    add_rows_of_block<Source, kTall>(to, block, first_of_block, x + g * kTall * stride, stride,
                                     column, 2 * kWide * kLanes);
    ++g;
  }
}

template <class Source>
HWY_NOINLINE void add_to_block(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                               const Matrix<typename Source::Element>& m, std::size_t column) {
  const auto rows = static_cast<std::size_t>(m.rows);
  const auto columns = static_cast<std::size_t>(m.columns);
  const auto stride = static_cast<std::size_t>(m.stride);
  if (Source::kKind == Terms::values && !block.all_other) {
    mark_others(block, m.x, rows, stride, column, columns, 1);
    block.all_other = std::all_of(block.other.begin(),
                                  block.other.begin() + static_cast<std::ptrdiff_t>(block.columns),
                                  [](std::uint64_t other) { return other != 0; });
  }
  for (std::size_t row = 0; row < rows;) {
    const std::size_t end = row + room<Source>(block, rows - row);
    const std::size_t groups = (end - row) / kTall;
    std::size_t c = 0;
    // Rows that are far from each other are better read some at a time from end to end.
    const bool near = stride * sizeof(typename Source::Element) <= 1024;
    if constexpr (!Source::kHasError) {
      for (; near && c + 2 * kWide * kLanes <= columns; c += 2 * kWide * kLanes) {
        add_groups<Source>(to, block, first_of_block, m.x + row * stride + c, stride, column + c,
                           groups);
      }
    }
    for (std::size_t g = 0; g < groups && c < columns; ++g) {
      add_rows_of_block<Source, kTall>(to, block, first_of_block,
                                       m.x + (row + g * kTall) * stride + c, stride, column + c,
                                       columns - c);
    }
    for (row += groups * kTall; row < end; ++row) {
      add_rows_of_block<Source, 1>(to, block, first_of_block, m.x + row * stride, stride, column,
                                   columns);
    }
  }
}

/// Products as integers.
template <class Source>
void add_one_by_one(const Matrix<typename Source::Element>& m, std::int64_t column_step,
                    std::int64_t term_step, std::int64_t outputs, std::int64_t terms,
                    ColumnSums& to, std::int64_t first) {
  Sorter sorter(to, Source::kKind, true);
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < terms; ++i) {
      int top = 0;
      const double x = m.x[o * column_step + i * term_step];
      const double left = sorter.sort(x, first + o, top);
      if (left != 0) to.spill(first + o, left);
    }
  }
}

/// Calls work(block, first output of the block, column in it, how many) for the blocks of outputs.
template <class Work>
HWY_INLINE void for_each_block(ColumnSums& to, std::int64_t first, std::int64_t outputs,
                               const Work& work) {
  constexpr auto kColumns = static_cast<std::int64_t>(ColumnBlock::kColumns);
  for (std::int64_t o = first; o < first + outputs;) {
    const std::int64_t number = o / kColumns;
    const std::int64_t end = std::min(first + outputs, (number + 1) * kColumns);
    work(to.blocks()[static_cast<std::size_t>(number)], number * kColumns, o, end - o);
    o = end;
  }
}

template <class T, Terms kTerms>
void add_columns(const Matrix<T>& m, ColumnSums& to, std::int64_t first) {
  using Source = TermsOf<T, kTerms>;
  const PlainArithmetic arithmetic;
  if constexpr (!kByVectors<Source>) {
    add_one_by_one<Source>(m, 1, m.stride, m.columns, m.rows, to, first);
  } else {
    for_each_block(to, first, m.columns,
                   [&](ColumnBlock& block, std::int64_t first_of_block, std::int64_t output,
                       std::int64_t count) {
                     const Matrix<T> part{m.x + (output - first), m.rows, count, m.stride};
                     add_to_block<Source>(to, block, first_of_block, part,
                                          static_cast<std::size_t>(output - first_of_block));
                   });
  }
}

/// As many terms of kLanes outputs, which are rows of a matrix.
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
HWY_INLINE void add_square(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                           const typename Source::Element* x, std::size_t stride,
                           std::size_t column, std::size_t columns) {
  add_or_sort<Source, 1, kLanes>(to, block, first_of_block, column, columns,
                                 LoadRows<typename Source::Element>{x, stride});
}

template <class Source>
HWY_NOINLINE void add_rows_to_block(ColumnSums& to, ColumnBlock& block, std::int64_t first_of_block,
                                    const Matrix<typename Source::Element>& m, std::size_t column) {
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
          add_square<Source>(to, block, first_of_block, rows + i, stride, column + o, kLanes);
        }
      }
      for (; i < end; i += kLanes) {
        HWY_ALIGN T rest[kLanes * kLanes] = {};
        for (std::size_t r = 0; r < count; ++r) {
          std::copy(rows + r * stride + i, rows + r * stride + std::min(i + kLanes, end),
                    rest + r * kLanes);
        }
        add_square<Source>(to, block, first_of_block, rest, kLanes, column + o, count);
      }
    }
    term = end;
  }
}

template <class T, Terms kTerms>
void add_rows(const Matrix<T>& m, ColumnSums& to, std::int64_t first) {
  using Source = TermsOf<T, kTerms>;
  const PlainArithmetic arithmetic;
  if constexpr (!kByVectors<Source>) {
    add_one_by_one<Source>(m, m.stride, 1, m.rows, m.columns, to, first);
  } else {
    for_each_block(
        to, first, m.rows,
        [&](ColumnBlock& block, std::int64_t first_of_block, std::int64_t output,
            std::int64_t count) {
          const Matrix<T> part{m.x + (output - first) * m.stride, count, m.columns, m.stride};
          add_rows_to_block<Source>(to, block, first_of_block, part,
                                    static_cast<std::size_t>(output - first_of_block));
        });
  }
}

template <class T>
constexpr ColumnKernels<T> kernels_of() {
  return {
      {&add_columns<T, Terms::values>, &add_columns<T, Terms::magnitudes>,
       &add_columns<T, Terms::squares>},
      {&add_rows<T, Terms::values>, &add_rows<T, Terms::magnitudes>, &add_rows<T, Terms::squares>}};
}

#else

template <class T, Terms kTerms>
void add_columns(const Matrix<T>& m, ColumnSums& to, std::int64_t first) {
  Sorter sorter(to, kTerms, true);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t c = 0; c < m.columns; ++c) {
      int top = 0;
      const double x = m.x[r * m.stride + c];
      const double left = sorter.sort(x, first + c, top);
      if (left != 0) to.spill(first + c, left);
      const auto output = static_cast<std::size_t>(first + c);
      ColumnBlock& block = to.blocks()[output / ColumnBlock::kColumns];
      if (x == x && (x != 0 || !std::signbit(x))) block.other[output % ColumnBlock::kColumns] = 1;
    }
  }
}
template <class T, Terms kTerms>
void add_rows(const Matrix<T>& m, ColumnSums& to, std::int64_t first) {
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t c = 0; c < m.columns; ++c) {
      add_columns<T, kTerms>({m.x + r * m.stride + c, 1, 1, 1}, to, first + r);
    }
  }
}

template <class T>
constexpr ColumnKernels<T> kernels_of() {
  return {
      {&add_columns<T, Terms::values>, &add_columns<T, Terms::magnitudes>,
       &add_columns<T, Terms::squares>},
      {&add_rows<T, Terms::values>, &add_rows<T, Terms::magnitudes>, &add_rows<T, Terms::squares>}};
}

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
ColumnSumSet column_sum_set<HWY_TARGET>() {
  std::string name = hwy::TargetName(HWY_TARGET);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return {name, HWY_NAMESPACE::kernels_of<double>(), HWY_NAMESPACE::kernels_of<float>()};
}
}  // namespace tessera::device::cpu

#if HWY_ONCE
#include <utility>

namespace tessera::device::cpu {

namespace {

/// Highway's bits are in order: the lower, the better.
template <std::size_t... kBit>
std::vector<ColumnSumSet> pick(std::int64_t supported, std::index_sequence<kBit...>) {
  std::vector<ColumnSumSet> sets;
  const auto consider = [&]<std::size_t kOne>(std::integral_constant<std::size_t, kOne>) {
    constexpr std::int64_t kTarget = std::int64_t{1} << kOne;
    if constexpr ((HWY_TARGETS & kTarget) != 0) {
      if ((supported & kTarget) != 0) sets.push_back(column_sum_set<kTarget>());
    }
  };
  (consider(std::integral_constant<std::size_t, kBit>()), ...);
  return sets;
}

}  // namespace

std::vector<ColumnSumSet> column_sum_sets() {
  // What the compiler may use anyway runs everywhere.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return pick(supported, std::make_index_sequence<63>());
}

}  // namespace tessera::device::cpu
#endif
