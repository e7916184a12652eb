// Windows of many outputs, kept from one call to the next; docs/numerics-sums.md, "Sums".
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace tessera::device::cpu {

/// Allocates memory aligned to a cache line, for vectors.
template <class T>
struct CacheLines {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLines() = default;
  template <class U>
  CacheLines(const CacheLines<U>&) {}  // NOLINT(google-explicit-constructor): allocators need it
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(CacheLines, CacheLines) { return true; }
};

/// Windows of up to kColumns outputs with common exponents. Window k of output c is the f64 at
/// window(k)[c]. It lies between 2^E and 2^(E + 1) with E = exponents[k], starts at 1.5 * 2^E, and
/// counts units of 2^(E - 52).
struct ColumnBlock {
  /// Enough for long contiguous reads of a row.
  // crossed by: of_outputs_and_their_elements
  static constexpr std::size_t kColumns = 2048;
  /// Vectors may reach beyond the last column.
  // crossed by: of_outputs_and_their_elements
  static constexpr std::size_t kBeyond = 16;
  /// Distance of the exponents of two consecutive windows.
  // crossed by: of_outputs_and_their_elements, CarryWhatGrows, TakeRowsThatAreLongerThanWindowsHold
  static constexpr int kStepBits = 43;
  /// A window has room for kMaxTerms terms below 2^(E - kRoomBits).
  // crossed by: of_outputs_and_their_elements, CarryWhatGrows, TakeRowsThatAreLongerThanWindowsHold
  static constexpr int kRoomBits = 53 - kStepBits;
  static constexpr int kMaxTerms = 1 << (kRoomBits - 2);
  // crossed by: AreExactForNumbersOfEveryKind
  static constexpr int kHighest = 1023;
  static constexpr int kLowest = -1022;

  std::vector<int> exponents;                    ///< exponents of the windows, highest first
  std::vector<double, CacheLines<double>> sums;  ///< `width` values for each window
  std::vector<std::int64_t> bank;                ///< carries out of the highest window, in units of
                                                 ///< 2^(E - 9)
  std::vector<std::uint64_t> other;              ///< not 0 if the output had a term other than -0.0
  std::size_t columns = 0;
  std::size_t width = 0;   ///< columns, plus those that vectors may touch
  bool all_other = false;  ///< `other` is set for all columns, as far as known
  std::size_t usual = 0;   ///< index of the window that takes most terms
  int misses = 0;          ///< terms since the last carry that needed a higher window
  int terms = 0;           ///< most terms added to an output since the last carry

  std::size_t windows() const { return exponents.size(); }
  double* window(std::size_t k) { return sums.data() + k * width; }
  const double* window(std::size_t k) const { return sums.data() + k * width; }
  /// Resets to `columns_of_it` outputs without windows.
  void clear(std::size_t columns_of_it);
  /// Resets to `columns_of_it` outputs with empty windows on the grid of `like`, to which fold()
  /// can add them. The sign of zeros is not recorded.
  void begin_like(const ColumnBlock& like, std::size_t columns_of_it);
  /// Creates `count` windows for terms below 2^top.
  void start(int top, std::size_t count);
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The lowest window for terms below 2^top; creates it if necessary. kNone if its exponent would
  /// be too large. If this happens often, makes it the usual window.
  std::size_t window_for(int top);
  /// Makes the lowest window for terms below 2^top the usual one.
  void raise(int top);
  /// Adds a term to one output. False, with nothing added, if it is too large for any window.
  bool add_term(std::size_t column, double x);
  /// Adds a window above the highest. False if its exponent would be too large.
  bool add_above();
  void add_below();
  /// Resets all windows to zero and keeps their exponents.
  void empty();
  /// Adds every `step`th of the first `count` outputs of `other`, from `first` on, to one output of
  /// this block. The windows of both lie on the same grid. `other` does not change.
  void fold(std::size_t column, const ColumnBlock& other, std::size_t first, std::size_t step,
            std::size_t count);
  /// Carries the upper part of each window to the window above it.
  void carry();
  /// Number of units in window k of an output.
  std::int64_t units(std::size_t k, std::size_t column) const;
  /// Calls add(x, exponent) for numbers x * 2^exponent, none of them 0, whose sum is that of the
  /// output.
  template <class Add>
  void for_each_part(std::size_t column, const Add& add) const {
    if (windows() == 0) return;
    if (bank[column] != 0) add(bank[column], exponents.front() - 52 + kStepBits);
    for (std::size_t k = 0; k < windows(); ++k) {
      if (const std::int64_t part = units(k, column); part != 0) add(part, exponents[k] - 52);
    }
  }
};

}  // namespace tessera::device::cpu
