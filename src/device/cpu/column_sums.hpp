// Exact sums of many outputs at the speed of memory: of each column of a matrix, or of each row.
// The windows of exact_windows-inl.hpp, one set for each output, kept from call to call;
// docs/numerics.md, "Sums". What comes out is the same with every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "device/sum_columns.hpp"

namespace tessera::device::cpu {

/// What is summed.
enum class Terms { values, magnitudes, squares };

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
};

/// How many terms of each output were not finite; empty while there are none.
struct ColumnSpecials {
  std::vector<std::int64_t> nans;
  std::vector<std::int64_t> positive_infinities;
  std::vector<std::int64_t> negative_infinities;

  void clear();
  void make_room(std::size_t outputs);
  bool none() const { return nans.empty(); }
};

class ColumnSums {
 public:
  ColumnSums() = default;
  ColumnSums(Terms terms, ColumnSpecials* specials) : terms_(terms), specials_(specials) {}

  void begin(std::int64_t outputs);
  std::int64_t outputs() const { return outputs_; }
  std::span<ColumnBlock> blocks() { return blocks_; }
  /// Null if others count what is not finite.
  ColumnSpecials* specials() { return specials_; }

  /// A finite number, or its square, that windows cannot take.
  void spill(std::int64_t output, double x);

  /// What other sums, of no more outputs than a block has, have in every `step`th output from
  /// `first` on; they began with begin_virtual() for this output.
  void fold(std::int64_t output, ColumnSums& other, std::size_t first, std::size_t step);
  /// Forgets all, and prepares to be folded into an output of `real`: `count` outputs of which it
  /// does not look at the signs of zeros.
  void begin_virtual(std::int64_t count, const ColumnSums& real, std::int64_t output);
  /// There is a term besides -0.0.
  void mark_other(std::int64_t output) {
    const auto at = static_cast<std::size_t>(output);
    blocks_[at / ColumnBlock::kColumns].other[at % ColumnBlock::kColumns] = 1;
  }

  /// The sum of an output, rounded once; nothing where that takes longer arithmetic. Of what is
  /// finite.
  bool round(std::int64_t output, double& to) const;
  /// The same divided by n.
  bool round_quotient(std::int64_t output, std::uint64_t n, double& to) const;

  /// Everything, of values and magnitudes, or of squares. Every output has had that many elements,
  /// `counted` says how many of them were not finite.
  void give(std::int64_t elements_each, const ColumnSpecials& counted,
            SumColumns<kernels::Superaccumulator>& to);
  void give(std::int64_t elements_each, const ColumnSpecials& counted,
            SumColumns<kernels::SquareAccumulator>& to);

 private:
  /// The sum as total * 2^exponent.
  struct Total {
    kernels::Int128 total = 0;
    int exponent = 0;
    bool negative_zero = false;
  };
  bool total(std::int64_t output, Total& to) const;
  template <class Sum>
  void empty_into(std::int64_t elements_each, const ColumnSpecials& counted, SumColumns<Sum>& to);

  Terms terms_ = Terms::values;
  ColumnSpecials* specials_ = nullptr;
  std::int64_t outputs_ = 0;
  bool spilled_ = false;
  std::vector<ColumnBlock> blocks_;
  SumColumns<kernels::Superaccumulator> sum_;
  SumColumns<kernels::SquareAccumulator> squares_;
};

/// rows x columns elements; one of a row follows the other, rows begin `stride` elements apart.
template <class T>
struct Matrix {
  const T* x = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
};

/// Column c to output first + c, or row r to output first + r.
template <class T>
using AddMatrix = void (*)(const Matrix<T>&, ColumnSums& to, std::int64_t first);

template <class T>
struct ColumnKernels {
  AddMatrix<T> columns[3];  ///< by Terms
  AddMatrix<T> rows[3];
};

struct ColumnSumSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  ColumnKernels<double> f64;
  ColumnKernels<float> f32;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<ColumnSumSet> column_sum_sets();

}  // namespace tessera::device::cpu
