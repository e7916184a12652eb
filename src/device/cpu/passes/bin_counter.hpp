// Counts elements by the bins of a histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "device/cpu/passes/bin_search.hpp"

namespace tessera::device::cpu {

class BinCounter {
 public:
  explicit BinCounter(BinSearchSet search) : search_(std::move(search)) {}

  /// Adds how many of the elements are in each bin to its count.
  template <class T>
  void count(std::span<const T> elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts);

 private:
  /// Neighbours are counted in different tables: an addition to memory waits for the one before it
  /// to the same place.
  static constexpr std::size_t kTables = 4;
  static constexpr std::size_t kAtOnce = 4096;
  /// More bins than this, and tables would crowd the first cache.
  static constexpr std::size_t kFewBins = 1024;

  template <class T>
  static void count_bytes(std::span<const T> elements, const statistics::HistogramBins& bins,
                          std::span<std::int64_t> counts);
  void count_few(std::size_t found, std::size_t bins);
  void give_few(std::span<std::int64_t> counts);

  BinSearchSet search_;
  std::vector<std::uint32_t> found_ = std::vector<std::uint32_t>(kAtOnce);
  std::vector<std::int64_t> tables_;  ///< bins, and what is outside, of one behind those of another
};

}  // namespace tessera::device::cpu
