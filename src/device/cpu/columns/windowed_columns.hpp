// Exact sums of many outputs at memory speed: of each column of a matrix, or of each row. The
// windows are those of sums/windows-inl.hpp, one set per output, kept from call to call;
// docs/numerics-sums.md, "Sums". The results do not depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/columns/column_block.hpp"
#include "statistics/limb_columns.hpp"

namespace tessera::device::cpu {

/// The terms that are summed.
enum class Terms { values, magnitudes, squares };

/// Number of NaN and infinities of each output; empty while there are none.
struct ColumnSpecials {
  std::vector<std::int64_t> nans;
  std::vector<std::int64_t> positive_infinities;
  std::vector<std::int64_t> negative_infinities;

  void clear();
  void make_room(std::size_t outputs);
  bool none() const { return nans.empty(); }
};

/// Methods for strips of outputs, from the fastest to the one that takes anything.
enum class StripMethod { plain, plain_masked, windows, masked, more_windows, units };

/// The method that has recently succeeded, and for how many strips to keep it. The sums are exact
/// for any method.
struct StripPace {
  StripMethod method = StripMethod::plain;
  int strips_to_review = 0;
  int failures = 0;  ///< recent ones; many of them change the method
};

class WindowedColumns {
 public:
  WindowedColumns() = default;
  WindowedColumns(Terms terms, ColumnSpecials* specials) : terms_(terms), specials_(specials) {}

  void begin(std::int64_t outputs);
  std::int64_t outputs() const { return outputs_; }
  std::span<ColumnBlock> blocks() { return blocks_; }
  std::span<const ColumnBlock> blocks() const { return blocks_; }
  /// Null if the caller counts NaN and infinities elsewhere.
  ColumnSpecials* specials() { return specials_; }

  StripPace& pace() { return pace_; }

  /// A block of `columns` empty outputs with the windows of `like`. The same memory each time.
  ColumnBlock& part_like(const ColumnBlock& like, std::size_t columns);

  /// Adds a finite number, or its square, that windows cannot hold, to the accumulator of the
  /// output.
  void add_residual(std::int64_t output, double x);

  /// Adds every `step`th output of `other`, from `first` on, to `output`. `other` has at most one
  /// block and was started by begin_virtual() for this output.
  void fold(std::int64_t output, WindowedColumns& other, std::size_t first, std::size_t step);
  /// Resets this object to `count` virtual outputs, which fold() will add to `output` of `real`.
  /// The sign of zeros is not recorded.
  void begin_virtual(std::int64_t count, const WindowedColumns& real, std::int64_t output);
  /// Records a term other than -0.0.
  void mark_other(std::int64_t output) {
    const auto at = static_cast<std::size_t>(output);
    blocks_[at / ColumnBlock::kColumns].other[at % ColumnBlock::kColumns] = 1;
  }

  Terms terms() const { return terms_; }
  /// Whether there were terms that no window could hold.
  bool has_spilled() const { return spilled_; }
  /// Adds the finite terms of an output.
  void add_to(kernels::Superaccumulator& sum, std::int64_t output) const;
  void add_to(kernels::SquareAccumulator& sum, std::int64_t output) const;

  /// Moves all sums to `to`: the first form for values and magnitudes, the second for squares.
  /// Every output has had `elements_each` elements; `counted` holds the NaN and infinities among
  /// them.
  void give(std::int64_t elements_each, const ColumnSpecials& counted,
            statistics::LimbColumns<kernels::Superaccumulator>& to);
  void give(std::int64_t elements_each, const ColumnSpecials& counted,
            statistics::LimbColumns<kernels::SquareAccumulator>& to);

 private:
  template <class Sum>
  void add_windows_to(Sum& sum, std::int64_t output) const;
  template <class Sum>
  void empty_into(std::int64_t elements_each, const ColumnSpecials& counted,
                  statistics::LimbColumns<Sum>& to);

  Terms terms_ = Terms::values;
  ColumnSpecials* specials_ = nullptr;
  std::int64_t outputs_ = 0;
  bool spilled_ = false;
  StripPace pace_;
  std::vector<ColumnBlock> blocks_;
  ColumnBlock part_;
  statistics::LimbColumns<kernels::Superaccumulator> sum_;
  statistics::LimbColumns<kernels::SquareAccumulator> squares_;
};

}  // namespace tessera::device::cpu
