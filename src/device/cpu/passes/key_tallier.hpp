// Answers a KeyRequest about elements, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "device/cpu/passes/array_extremes.hpp"
#include "device/cpu/passes/key_passes.hpp"
#include "statistics/order/key_tally.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cpu {

class KeyTallier {
 public:
  explicit KeyTallier(KeyPassSet keys) : keys_(std::move(keys)) {}

  /// As Reducer::tally(), for elements of `type`.
  void tally(std::span<const std::byte> elements, base::ElementType type,
             const ExtremesSet& extremes, const statistics::Indexing& indexing,
             const statistics::KeyRequest& request, statistics::KeyTally& tally);

 private:
  /// `first`: index of the first element among those of the call.
  template <class T>
  void add_top(std::span<const T> elements, std::size_t first, const ExtremesSet& extremes,
               const statistics::Indexing& indexing, const statistics::KeyRequest& request,
               statistics::KeyTally& tally);
  void halves(std::span<const std::uint16_t> elements, const statistics::Indexing& indexing,
              const statistics::KeyRequest& request, statistics::KeyTally& tally);
  template <class T>
  void add_ranges(std::span<const T> elements, statistics::ElementKey least,
                  const statistics::KeyRequest& request, statistics::KeyTally& tally);
  template <class T>
  void collect(std::span<const T> elements, statistics::ElementKey least,
               const statistics::KeyRange& range, statistics::RangeTally& tally);
  template <class Word>
  void add_selected(std::span<const Word> selected, const statistics::KeyRange& range,
                    statistics::RangeTally& tally);
  void add_to_top(statistics::ElementKey order, statistics::ElementKey key, std::int64_t index,
                  statistics::KeyTally& tally);

  KeyPassSet keys_;
  std::tuple<std::vector<std::uint32_t>, std::vector<std::uint64_t>> selected_;
  /// So many elements of this order or a higher one have been seen that no lower one is among the
  /// largest.
  statistics::ElementKey min_order_ = 0;
};

}  // namespace tessera::device::cpu
