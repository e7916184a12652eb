// Counts the elements in each bin of a histogram.
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

  /// Adds the number of elements in each bin to `counts`.
  template <class T>
  void count(std::span<const T> elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts);

 private:
  /// Neighbouring elements are counted in different tables, because an addition to memory waits for
  /// the previous one to the same address.
  // crossed by: of_tables_of_bins, of_counts_of_a_bin
  static constexpr std::size_t kTables = 4;
  // crossed by: of_tables_of_bins
  static constexpr std::size_t kAtOnce = 4096;
  /// With more bins, the tables would not fit into the L1 cache.
  // crossed by: of_tables_of_bins, of_counts_of_a_bin
  static constexpr std::size_t kFewBins = 1024;

  template <class T>
  static void count_bytes(std::span<const T> elements, const statistics::HistogramBins& bins,
                          std::span<std::int64_t> counts);
  void count_few(std::size_t found, std::size_t bins);
  void give_few(std::span<std::int64_t> counts);

  BinSearchSet search_;
  std::vector<std::uint32_t> found_ = std::vector<std::uint32_t>(kAtOnce);
  std::vector<std::int64_t> tables_;  ///< kTables tables, each with all bins and one entry for
                                      ///< elements outside
};

}  // namespace tessera::device::cpu
