// Answers a KeyRequest about elements in the memory of a GPU, range by range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "statistics/order/key_tally.hpp"

namespace tessera::device::gpu {

/// Memory of a launch for its results.
struct KeyLimits {
  std::int64_t bytes_each = 0;  ///< bytes of an element
  std::size_t bytes = 0;        ///< besides
};
KeyLimits room_of(const statistics::KeyRequest& request);

/// The elements begin with the memory. Their results are put behind byte `to`, a multiple of
/// TS_VECTOR_BYTES.
class KeyLaunches {
 public:
  KeyLaunches(ArrayStream& stream, base::ElementType type, std::int64_t elements, std::size_t to);

  /// Adds what the request asks to `tally`.
  void tally(const statistics::Indexing& indexing, const statistics::KeyRequest& request,
             statistics::KeyTally& tally);

 private:
  /// Launches over a range. Returns the counts, TS_KEYS_COUNTS of them, and those of the bins.
  std::span<const kernels::TS_U32> launch(std::uint32_t what, const statistics::KeyRange& range,
                                          bool nans = false);
  /// The list of the last launch.
  std::span<const kernels::TS_U64> read_list(std::size_t words);
  void tally_range(const statistics::KeyRange& range, std::uint64_t max_keys,
                   statistics::RangeTally& tally);
  void tally_top(const statistics::Indexing& indexing, bool nans, statistics::TopElements& top,
                 std::int64_t count);
  void tally_values(statistics::ElementKey from, statistics::ValueCounts& values);
  /// At least `count` numbers have this key or a greater one, if there are so many, and not many
  /// more.
  statistics::ElementKey key_below_largest(std::int64_t count);

  ArrayStream& stream_;
  base::ElementType type_;
  statistics::NumberKeys numbers_;
  std::int64_t elements_;
  std::size_t to_;
  std::vector<kernels::TS_U32> counts_;
  std::vector<kernels::TS_U64> list_;
};

}  // namespace tessera::device::gpu
