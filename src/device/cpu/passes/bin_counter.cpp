#include "device/cpu/passes/bin_counter.hpp"

#include <algorithm>

namespace tessera::device::cpu {

template <class T>
void BinCounter::count(std::span<const T> elements, const statistics::HistogramBins& bins,
                       std::span<std::int64_t> counts) {
  if constexpr (sizeof(T) == 1) {
    count_bytes(elements, bins, counts);
  } else {
    if (bins.count() > kMaxBins) {
      for (const T x : elements) {
        const std::size_t bin = bins.guess(static_cast<double>(x));
        if (bin != statistics::HistogramBins::kOutside) ++counts[bin];
      }
      return;
    }
    const bool few = bins.count() <= kFewBins;
    if (few) tables_.assign(kTables * (bins.count() + 1), 0);
    for (std::size_t first = 0; first < elements.size(); first += kAtOnce) {
      const auto some = elements.subspan(first, std::min(kAtOnce, elements.size() - first));
      std::get<FindBins<T>>(search_.find)(some, bins, found_.data());
      if (few) {
        count_few(some.size(), bins.count());
        continue;
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (found_[i] < bins.count()) ++counts[found_[i]];
      }
    }
    if (few) give_few(counts);
  }
}

/// Counts each of the 256 values and searches the bin of each value once.
template <class T>
void BinCounter::count_bytes(std::span<const T> elements, const statistics::HistogramBins& bins,
                             std::span<std::int64_t> counts) {
  constexpr std::size_t kNumbers = 256;
  std::int64_t numbers[kTables][kNumbers] = {};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    ++numbers[i % kTables][static_cast<std::uint8_t>(elements[i])];
  }
  for (std::size_t k = 0; k < kNumbers; ++k) {
    const std::size_t bin = bins.guess(static_cast<double>(static_cast<T>(k)));
    if (bin == statistics::HistogramBins::kOutside) continue;
    for (const auto& table : numbers) counts[bin] += table[k];
  }
}

void BinCounter::count_few(std::size_t found, std::size_t bins) {
  const std::size_t whole = found - found % kTables;
  std::int64_t* table[kTables];
  for (std::size_t t = 0; t < kTables; ++t) table[t] = &tables_[t * (bins + 1)];
  const std::uint32_t* const bin = found_.data();
  for (std::size_t i = 0; i < whole; i += kTables) {
    for (std::size_t t = 0; t < kTables; ++t) ++table[t][bin[i + t]];
  }
  for (std::size_t i = whole; i < found; ++i) ++table[0][bin[i]];
}

void BinCounter::give_few(std::span<std::int64_t> counts) {
  for (std::size_t t = 0; t < kTables; ++t) {
    const std::int64_t* const table = &tables_[t * (counts.size() + 1)];
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += table[k];
  }
}

template void BinCounter::count(std::span<const std::int8_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::int16_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::int32_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::int64_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::uint8_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::uint16_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::uint32_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const std::uint64_t>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const float>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);
template void BinCounter::count(std::span<const double>, const statistics::HistogramBins&,
                                std::span<std::int64_t>);

}  // namespace tessera::device::cpu
