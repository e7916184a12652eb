#include "device/cpu/columns/column_block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

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
  width = (columns + kBeyond + 7) / 8 * 8;  // whole cache lines
  other.assign(width, 0);
  all_other = false;
  usual = 0;
  misses = 0;
  terms = 0;
}

void ColumnBlock::begin_like(const ColumnBlock& like, std::size_t columns_of_it) {
  if (columns != columns_of_it) clear(columns_of_it);
  all_other = true;
  // A grid of its own is kept from output to output, until the real output has a different one.
  if (like.windows() > 0 && (windows() == 0 || exponents != like.exponents)) {
    start(like.exponents.front() - kRoomBits, like.windows());
  }
  empty();
}

std::size_t ColumnBlock::window_for(int top) {
  // Terms larger than expected may have been added correctly, because the window was the first.
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
  // Passing through a few more windows is cheaper than a failed attempt.
  constexpr int kOften = 64;
  if (misses > kOften) usual = std::min(usual, k);
  return k;
}

void ColumnBlock::raise(int top) {
  carry();
  while (exponents.front() - kRoomBits < top) {
    if (!add_above()) return;
  }
  while (usual > 0 && exponents[usual] - kRoomBits < top) --usual;
}

bool ColumnBlock::add_term(std::size_t column, double x) {
  if (x == 0) return true;
  int top = 0;
  auto units = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &top), 53));
  const int exponent = top - 53;  // exponent of its last bit
  while (exponents.front() - kRoomBits < top) {
    if (!add_above()) return false;
  }
  std::size_t k = windows() - 1;
  while (exponents[k] - kRoomBits < top) --k;
  if (++terms > kMaxTerms) {
    carry();
    terms = 1;
  }
  for (; units != 0; ++k) {
    if (k == windows()) add_below();
    if (std::abs(this->units(k, column)) > std::int64_t{1} << 50) {
      const int kept = terms;
      carry();
      terms = kept;
    }
    const int bits = exponents[k] - 52 - exponent;
    if (bits > 62) continue;  // all bits lie below this window
    const std::int64_t part = bits <= 0 ? units * (std::int64_t{1} << -bits)
                                        : (units + (std::int64_t{1} << (bits - 1))) >> bits;
    double& sum = window(k)[column];
    sum = std::bit_cast<double>(std::bit_cast<std::int64_t>(sum) + part);
    units -= bits <= 0 ? units : part << bits;
  }
  return true;
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
  // The usual window may contain terms larger than expected.
  const bool near_its_end = std::abs(units(usual, column)) > std::int64_t{1} << 50;
  if (++terms > kMaxTerms || near_its_end) {
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
  // The units of the new window come from the bank.
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

}  // namespace tessera::device::cpu
