#include <algorithm>
#include <bit>

#include "device/cpu/column_sums.hpp"
#include "kernels/round_once.hpp"

namespace tessera::device::cpu {

namespace {

/// Bits of 1.5 * 2^exponent.
std::int64_t start_bits(int exponent) {
  return (static_cast<std::int64_t>(exponent + 1023) << 52) + (std::int64_t{1} << 51);
}

}  // namespace

void ColumnBlock::clear(std::size_t columns_of_it) {
  exponents.clear();
  sums.clear();
  bank.clear();
  columns = columns_of_it;
  width = (columns + kBeyond + 7) / 8 * 8;  // whole lines of the cache
  other.assign(width, 0);
  all_other = false;
  usual = 0;
  misses = 0;
  terms = 0;
}

std::size_t ColumnBlock::window_for(int top) {
  // Terms larger than foreseen may have gone well as long as the window was the first.
  const int still_to_come = terms;
  const int missed = misses + 1;
  carry();
  terms = still_to_come;
  misses = missed;
  while (exponents.front() - kRoomBits < top) {
    if (!add_above()) return kNone;
  }
  std::size_t k = 0;
  while (k < usual && exponents[k + 1] - kRoomBits >= top) ++k;
  // Going through some more windows costs less than finding out that they are needed.
  constexpr int kOften = 64;
  if (misses > kOften) usual = std::min(usual, k);
  return k;
}

void ColumnBlock::empty() {
  for (std::size_t k = 0; k < windows(); ++k) {
    std::fill_n(window(k), width, std::bit_cast<double>(start_bits(exponents[k])));
  }
  std::ranges::fill(bank, 0);
  terms = 0;
}

void ColumnBlock::fold(std::size_t column, const ColumnBlock& part, std::size_t first,
                       std::size_t step, std::size_t count) {
  if (part.windows() == 0) return;
  if (windows() == 0) {
    start(part.exponents.front() - kRoomBits, 1);
  }
  while (exponents.front() < part.exponents.front() && add_above()) continue;
  while (windows() < part.windows()) add_below();
  // The usual window may have taken terms larger than foreseen.
  const bool near_its_end = std::abs(units(usual, column)) > std::int64_t{1} << 50;
  if (++terms > kMostTerms || near_its_end) {
    carry();
    terms = 1;
  }
  std::int64_t up = 0;
  for (std::size_t k = part.windows(); k-- > 0;) {
    std::int64_t units = up;
    for (std::size_t c = first; c < count; c += step) units += part.units(k, c);
    const int bits = k > 0 ? exponents[k - 1] - exponents[k] : kStepBits;
    up = (units + (std::int64_t{1} << (bits - 1))) >> bits;
    units -= up << bits;
    double& sum = window(k)[column];
    sum = std::bit_cast<double>(std::bit_cast<std::int64_t>(sum) + units);
  }
  for (std::size_t c = first; c < count; c += step) up += part.bank[c];
  bank[column] += up;
}

void ColumnBlock::start(int top, std::size_t count) {
  usual = 0;
  bank.assign(width, 0);
  exponents = {std::clamp(top + kRoomBits, kLowest, kHighest)};
  sums.assign(width, std::bit_cast<double>(start_bits(exponents.front())));
  while (exponents.size() < count && exponents.back() > kLowest) add_below();
}

bool ColumnBlock::add_above() {
  const int exponent = exponents.front() + kStepBits;
  if (exponent > kHighest) return false;
  ++usual;
  // Its units are those of the bank.
  exponents.insert(exponents.begin(), exponent);
  sums.insert(sums.begin(), width, 0);
  for (std::size_t c = 0; c < width; ++c) {
    const std::int64_t up = (bank[c] + (std::int64_t{1} << (kStepBits - 1))) >> kStepBits;
    sums[c] = std::bit_cast<double>(start_bits(exponent) + (bank[c] - (up << kStepBits)));
    bank[c] = up;
  }
  return true;
}

void ColumnBlock::add_below() {
  exponents.push_back(std::max(exponents.back() - kStepBits, kLowest));
  sums.resize(sums.size() + width, std::bit_cast<double>(start_bits(exponents.back())));
}

void ColumnBlock::carry() {
  for (std::size_t k = windows(); k-- > 0;) {
    const int step = k > 0 ? exponents[k - 1] - exponents[k] : kStepBits;
    const std::int64_t start = start_bits(exponents[k]);
    const std::int64_t half = std::int64_t{1} << (step - 1);
    double* const own = window(k);
    double* const above = k > 0 ? window(k - 1) : nullptr;
    for (std::size_t c = 0; c < width; ++c) {
      const std::int64_t count = std::bit_cast<std::int64_t>(own[c]) - start;
      const std::int64_t up = (count + half) >> step;
      own[c] = std::bit_cast<double>(start + (count - (up << step)));
      if (above != nullptr) {
        above[c] = std::bit_cast<double>(std::bit_cast<std::int64_t>(above[c]) + up);
      } else {
        bank[c] += up;
      }
    }
  }
  terms = 0;
  misses = 0;
}

std::int64_t ColumnBlock::units(std::size_t k, std::size_t column) const {
  return std::bit_cast<std::int64_t>(window(k)[column]) - start_bits(exponents[k]);
}

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

void ColumnSums::begin(std::int64_t outputs) {
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

void ColumnSums::spill(std::int64_t output, double x) {
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

void ColumnSums::begin_virtual(std::int64_t count, const ColumnSums& real, std::int64_t output) {
  const ColumnBlock& like = real.blocks_[static_cast<std::size_t>(output) / ColumnBlock::kColumns];
  outputs_ = count;
  if (spilled_ || sum_.outputs() != count || squares_.outputs() != count) {
    sum_.reset(count);
    squares_.reset(count);
  }
  spilled_ = false;
  blocks_.resize(1);
  ColumnBlock& block = blocks_.front();
  const auto columns = static_cast<std::size_t>(count);
  if (block.columns != columns) block.clear(columns);
  block.all_other = true;
  // A grid of one's own lasts from output to output until the real one has another.
  if (like.windows() > 0 && (block.windows() == 0 || block.exponents != like.exponents)) {
    block.start(like.exponents.front() - ColumnBlock::kRoomBits, like.windows());
  }
  block.empty();
}

void ColumnSums::fold(std::int64_t output, ColumnSums& other, std::size_t first, std::size_t step) {
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

bool ColumnSums::total(std::int64_t output, Total& to) const {
  if (spilled_) return false;
  const ColumnBlock& block = blocks_[static_cast<std::size_t>(output) / ColumnBlock::kColumns];
  const std::size_t column = static_cast<std::size_t>(output) % ColumnBlock::kColumns;
  to.negative_zero = terms_ == Terms::values && block.other[column] == 0;
  if (block.windows() == 0) return true;
  to.total = block.bank[column];
  int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(std::abs(block.bank[column])));
  for (std::size_t k = 0; k < block.windows(); ++k) {
    const int step = k > 0 ? block.exponents[k - 1] - block.exponents[k] : ColumnBlock::kStepBits;
    const std::int64_t units = block.units(k, column);
    if (to.total == 0) bits = 0;
    bits =
        std::max(bits + step, 64 - std::countl_zero(static_cast<std::uint64_t>(std::abs(units)))) +
        1;
    if (bits > 126) return false;
    to.total = to.total * (static_cast<kernels::Int128>(1) << step) + units;
  }
  to.exponent = block.exponents.back() - 52;
  return true;
}

namespace {

/// total * 2^exponent with `more` behind its last bit, rounded once.
double rounded(kernels::UnsignedInt128 magnitude, bool negative, int exponent, bool more) {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const auto low = static_cast<std::uint64_t>(magnitude);
  if (high == 0) {
    const int free = std::countl_zero(low);
    return kernels::round_once(negative, low << free, exponent - free, more);
  }
  const int free = std::countl_zero(high);
  const kernels::UnsignedInt128 shifted = magnitude << free;
  return kernels::round_once(negative, static_cast<std::uint64_t>(shifted >> 64),
                             exponent + 64 - free,
                             more || static_cast<std::uint64_t>(shifted) != 0);
}

}  // namespace

bool ColumnSums::round(std::int64_t output, double& to) const {
  return round_quotient(output, 1, to);
}

bool ColumnSums::round_quotient(std::int64_t output, std::uint64_t n, double& to) const {
  Total sum;
  if (!total(output, sum)) return false;
  const bool negative = sum.total < 0;
  auto magnitude = static_cast<kernels::UnsignedInt128>(negative ? -sum.total : sum.total);
  if (magnitude == 0) {
    to = sum.negative_zero ? -0.0 : 0.0;
    return true;
  }
  if (n == 1) {
    to = rounded(magnitude, negative, sum.exponent, false);
    return true;
  }
  // With all bits in use, the quotient has at least 64 of them.
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int free = high != 0 ? std::countl_zero(high)
                             : 64 + std::countl_zero(static_cast<std::uint64_t>(magnitude));
  magnitude <<= free;
  to = rounded(magnitude / n, negative, sum.exponent - free, magnitude % n != 0);
  return true;
}

template <class Sum>
void ColumnSums::empty_into(std::int64_t elements_each, const ColumnSpecials& counted,
                            SumColumns<Sum>& to) {
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
      if (block.windows() == 0) continue;
      const std::int64_t bank = block.bank[column];
      const int exponent = block.exponents.front() - 52 + ColumnBlock::kStepBits;
      if (bank != 0) to.add_scaled(first + c, bank, exponent);
      for (std::size_t k = 0; k < block.windows(); ++k) {
        const std::int64_t units = block.units(k, column);
        if (units != 0) to.add_scaled(first + c, units, block.exponents[k] - 52);
      }
    }
  }
  to.carry();
}

void ColumnSums::give(std::int64_t elements_each, const ColumnSpecials& counted,
                      SumColumns<kernels::Superaccumulator>& to) {
  empty_into(elements_each, counted, sum_);
  to = std::move(sum_);
}

void ColumnSums::give(std::int64_t elements_each, const ColumnSpecials& counted,
                      SumColumns<kernels::SquareAccumulator>& to) {
  empty_into(elements_each, counted, squares_);
  to = std::move(squares_);
}

}  // namespace tessera::device::cpu
