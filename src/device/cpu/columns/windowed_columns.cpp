#include "device/cpu/columns/windowed_columns.hpp"

#include <algorithm>

namespace tessera::device::cpu {

void ColumnSpecials::clear() {
  nans.clear();
  positive_infinities.clear();
  negative_infinities.clear();
}

void ColumnSpecials::make_room(std::size_t outputs) {
  nans.resize(outputs);
  positive_infinities.resize(outputs);
  negative_infinities.resize(outputs);
}

void WindowedColumns::begin(std::int64_t outputs) {
  outputs_ = outputs;
  spilled_ = false;
  sum_.reset(terms_ == Terms::squares ? 0 : outputs);
  squares_.reset(terms_ == Terms::squares ? outputs : 0);
  blocks_.resize((static_cast<std::size_t>(outputs) + ColumnBlock::kColumns - 1) /
                 ColumnBlock::kColumns);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto left = static_cast<std::size_t>(outputs) - b * ColumnBlock::kColumns;
    blocks_[b].clear(std::min(ColumnBlock::kColumns, left));
  }
}

void WindowedColumns::add_residual(std::int64_t output, double x) {
  spilled_ = true;
  if (terms_ == Terms::squares) {
    kernels::SquareAccumulator square;
    square.add_product(x, x);
    squares_.add(output, square);
  } else {
    kernels::Superaccumulator term;
    term.add(terms_ == Terms::magnitudes && x < 0 ? -x : x);
    sum_.add(output, term);
  }
}

void WindowedColumns::begin_virtual(std::int64_t count, const WindowedColumns& real,
                                    std::int64_t output) {
  const ColumnBlock& like = real.blocks_[static_cast<std::size_t>(output) / ColumnBlock::kColumns];
  outputs_ = count;
  if (spilled_ || sum_.outputs() != count || squares_.outputs() != count) {
    sum_.reset(count);
    squares_.reset(count);
  }
  spilled_ = false;
  blocks_.resize(1);
  blocks_.front().begin_like(like, static_cast<std::size_t>(count));
}

ColumnBlock& WindowedColumns::part_like(const ColumnBlock& like, std::size_t columns) {
  part_.begin_like(like, columns);
  return part_;
}

void WindowedColumns::fold(std::int64_t output, WindowedColumns& other, std::size_t first,
                           std::size_t step) {
  const auto at = static_cast<std::size_t>(output);
  const auto count = static_cast<std::size_t>(other.outputs_);
  blocks_[at / ColumnBlock::kColumns].fold(at % ColumnBlock::kColumns, other.blocks_.front(), first,
                                           step, count);
  if (!other.spilled_) return;
  spilled_ = true;
  for (std::size_t c = first; c < count; c += step) {
    const auto column = static_cast<std::int64_t>(c);
    if (terms_ == Terms::squares) {
      squares_.add(output, other.squares_.sum(column));
    } else {
      sum_.add(output, other.sum_.sum(column));
    }
  }
}

template <class Sum>
void WindowedColumns::add_windows_to(Sum& sum, std::int64_t output) const {
  const ColumnBlock& block = blocks_[static_cast<std::size_t>(output) / ColumnBlock::kColumns];
  const std::size_t column = static_cast<std::size_t>(output) % ColumnBlock::kColumns;
  if (terms_ != Terms::values || block.other[column] != 0) {
    sum.add_scaled(0, 0);
  } else {
    sum.add_negative_zero();
  }
  block.for_each_part(column, [&](std::int64_t x, int exponent) { sum.add_scaled(x, exponent); });
}

void WindowedColumns::add_to(kernels::Superaccumulator& sum, std::int64_t output) const {
  add_windows_to(sum, output);
  if (spilled_) sum.merge(sum_.sum(output));
}

void WindowedColumns::add_to(kernels::SquareAccumulator& sum, std::int64_t output) const {
  add_windows_to(sum, output);
  if (spilled_) sum.merge(squares_.sum(output));
}

template <class Sum>
void WindowedColumns::empty_into(std::int64_t elements_each, const ColumnSpecials& counted,
                                 statistics::LimbColumns<Sum>& to) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ColumnBlock& block = blocks_[b];
    const auto first = static_cast<std::int64_t>(b * ColumnBlock::kColumns);
    const std::int64_t count = std::min<std::int64_t>(ColumnBlock::kColumns, outputs_ - first);
    for (std::int64_t c = 0; c < count; ++c) {
      const auto column = static_cast<std::size_t>(c);
      const std::int64_t nans =
          counted.none() ? 0 : counted.nans[static_cast<std::size_t>(first + c)];
      if (nans == elements_each) continue;  // there was no term
      if (terms_ != Terms::values || block.other[column] != 0) {
        to.add_scaled(first + c, 0, 0);
      } else {
        to.add_negative_zero(first + c);
      }
      block.for_each_part(
          column, [&](std::int64_t x, int exponent) { to.add_scaled(first + c, x, exponent); });
    }
  }
  to.carry();
}

void WindowedColumns::give(std::int64_t elements_each, const ColumnSpecials& counted,
                           statistics::LimbColumns<kernels::Superaccumulator>& to) {
  empty_into(elements_each, counted, sum_);
  to = std::move(sum_);
}

void WindowedColumns::give(std::int64_t elements_each, const ColumnSpecials& counted,
                           statistics::LimbColumns<kernels::SquareAccumulator>& to) {
  empty_into(elements_each, counted, squares_);
  to = std::move(squares_);
}

}  // namespace tessera::device::cpu
