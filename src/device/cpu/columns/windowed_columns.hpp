// Exact sums of many outputs at the speed of memory: of each column of a matrix, or of each row.
// The windows of exact_windows-inl.hpp, one set for each output, kept from call to call;
// docs/numerics.md, "Sums". What comes out is the same with every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/columns/column_block.hpp"
#include "statistics/limb_columns.hpp"

namespace tessera::device::cpu {

/// What is summed.
enum class Terms { values, magnitudes, squares };

/// How many terms of each output were not finite; empty while there are none.
struct ColumnSpecials {
  std::vector<std::int64_t> nans;
  std::vector<std::int64_t> positive_infinities;
  std::vector<std::int64_t> negative_infinities;

  void clear();
  void make_room(std::size_t outputs);
  bool none() const { return nans.empty(); }
};

/// How rows are summed, from the quickest to the one that takes anything.
enum class RowMethod { plain, plain_masked, windows, masked, more_windows, squares };

/// Which method has been good enough lately, and for how long to believe it. Whatever it is, sums
/// are exact.
struct RowPace {
  RowMethod method = RowMethod::plain;
  int rows_to_review = 0;
  int too_large = 0;  ///< rows of which all terms were larger than windows take
};

class WindowedColumns {
 public:
  WindowedColumns() = default;
  WindowedColumns(Terms terms, ColumnSpecials* specials) : terms_(terms), specials_(specials) {}

  void begin(std::int64_t outputs);
  std::int64_t outputs() const { return outputs_; }
  std::span<ColumnBlock> blocks() { return blocks_; }
  std::span<const ColumnBlock> blocks() const { return blocks_; }
  /// Null if others count what is not finite.
  ColumnSpecials* specials() { return specials_; }

  RowPace& row_pace() { return row_pace_; }
  RowPace& column_pace() { return column_pace_; }

  /// A finite number, or its square, that windows cannot take.
  void residuals(std::int64_t output, double x);

  /// What other sums, of no more outputs than a block has, have in every `step`th output from
  /// `first` on; they began with begin_virtual() for this output.
  void fold(std::int64_t output, WindowedColumns& other, std::size_t first, std::size_t step);
  /// Forgets all, and prepares to be folded into an output of `real`: `count` outputs of which it
  /// does not look at the signs of zeros.
  void begin_virtual(std::int64_t count, const WindowedColumns& real, std::int64_t output);
  /// There is a term besides -0.0.
  void mark_other(std::int64_t output) {
    const auto at = static_cast<std::size_t>(output);
    blocks_[at / ColumnBlock::kColumns].other[at % ColumnBlock::kColumns] = 1;
  }

  Terms terms() const { return terms_; }
  /// Whether there were terms that no window takes.
  bool has_spilled() const { return spilled_; }
  /// Adds what is finite of an output.
  void add_to(kernels::Superaccumulator& sum, std::int64_t output) const;
  void add_to(kernels::SquareAccumulator& sum, std::int64_t output) const;

  /// Everything, of values and magnitudes, or of squares. Every output has had that many elements,
  /// `counted` says how many of them were not finite.
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
  RowPace row_pace_;
  RowPace column_pace_;
  std::vector<ColumnBlock> blocks_;
  statistics::LimbColumns<kernels::Superaccumulator> sum_;
  statistics::LimbColumns<kernels::SquareAccumulator> squares_;
};

}  // namespace tessera::device::cpu
