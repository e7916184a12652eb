// Windows of many outputs, kept from one call to the next; docs/numerics.md, "Sums".
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace tessera::device::cpu {

/// Memory that begins with a line of the cache, as vectors want it.
template <class T>
struct CacheLines {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLines() = default;
  template <class U>
  CacheLines(const CacheLines<U>&) {}  // NOLINT(google-explicit-constructor): as allocators do
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(CacheLines, CacheLines) { return true; }
};

/// Windows of some outputs, all at the same exponents: window k of output c is the f64 at
/// window(k)[c], between 2^E and 2^(E + 1) with E = exponents[k], and counts units of 2^(E - 52)
/// from 1.5 * 2^E on.
struct ColumnBlock {
  /// Enough for rows of a matrix to be read in long stretches.
  static constexpr std::size_t kColumns = 2048;
  /// Vectors may reach beyond the last column.
  static constexpr std::size_t kBeyond = 16;
  /// From one window to the next.
  static constexpr int kStepBits = 43;
  /// Terms below 2^(E - kRoomBits) stay in a window for kMostTerms terms.
  static constexpr int kRoomBits = 53 - kStepBits;
  static constexpr int kMostTerms = 1 << (kRoomBits - 2);
  static constexpr int kHighest = 1023;
  static constexpr int kLowest = -1022;

  std::vector<int> exponents;                    ///< of the windows, highest first
  std::vector<double, CacheLines<double>> sums;  ///< `width` of each window
  std::vector<std::int64_t> bank;    ///< what was carried out of the highest, in units of 2^(E - 9)
  std::vector<std::uint64_t> other;  ///< not 0: of an output that had a term besides -0.0
  std::size_t columns = 0;
  std::size_t width = 0;   ///< columns, and what vectors may reach beyond
  bool all_other = false;  ///< of those that were looked at last
  std::size_t usual = 0;   ///< window that takes most terms
  int misses = 0;          ///< terms that needed a higher one since the last carry
  int terms = 0;           ///< added to some output since the last carry

  std::size_t windows() const { return exponents.size(); }
  double* window(std::size_t k) { return sums.data() + k * width; }
  const double* window(std::size_t k) const { return sums.data() + k * width; }
  /// Of so many outputs, and nothing.
  void clear(std::size_t columns_of_it);
  /// The first windows, for terms below 2^top.
  void start(int top, std::size_t count);
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The lowest window that takes terms below 2^top, which may be made for them; kNone if there is
  /// no room for one. Makes it the first one if that happens often.
  std::size_t window_for(int top);
  /// Makes the lowest window that takes terms below 2^top the usual one.
  void raise(int top);
  /// Adds a term to one output. False, with nothing added, if it is too large for any window.
  bool add_term(std::size_t column, double x);
  /// False if there is no room for one above the highest.
  bool add_above();
  void add_below();
  /// The same windows, of nothing.
  void empty();
  /// Adds the sum of every `step`th of the first `count` outputs of `other`, from `first` on, to an
  /// output of this block, whose windows lie on the same grid. Leaves `other` as it is.
  void fold(std::size_t column, const ColumnBlock& other, std::size_t first, std::size_t step,
            std::size_t count);
  /// Moves what is large in a window to the one above it.
  void carry();
  /// Units of window k of an output.
  std::int64_t units(std::size_t k, std::size_t column) const;
  /// Calls add(x, exponent) for numbers x * 2^exponent, none of them 0, that add up to its sum.
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
