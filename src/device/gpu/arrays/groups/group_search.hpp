// The search for order statistics of large groups in the memory of a GPU (kernels/gpu/search.h). It
// counts elements in bins; the thread that drives it adds all others to the tally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"
#include "statistics/order/group_order.hpp"

namespace tessera::device::gpu {

class GroupSearch {
 public:
  /// The request must exist as long as the search. `most`: elements that are added at a time.
  GroupSearch(base::ElementType type, const statistics::GroupRequest& request, std::size_t most);

  /// Bytes of the memory that it uses.
  std::size_t bytes() const { return list_at_ + list_bytes(most_); }
  /// Waits.
  void begin(ArrayStream& stream);
  /// Adds at most as many elements as the constructor was given, and waits for the device.
  void add(ArrayStream& stream, std::span<const statistics::GroupKey> keys,
           std::span<const std::byte> elements, std::span<const std::int64_t> places,
           statistics::GroupTally& tally);
  /// Waits. Adds what the GPU has counted.
  void end(ArrayStream& stream, statistics::GroupTally& tally);

 private:
  static std::size_t list_bytes(std::size_t elements);
  /// The elements with these numbers.
  void add_left(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                std::span<const std::int64_t> places, statistics::GroupTally& tally);

  base::ElementType type_;
  const statistics::GroupRequest& request_;
  std::size_t most_;
  std::vector<kernels::TsSearchedGroup> groups_;
  std::vector<kernels::TsSearchedRange> ranges_;
  std::size_t counts_ = 0;  ///< counts of all ranges
  std::size_t ranges_at_, counts_at_, keys_at_, elements_at_, list_at_;
  std::size_t added_ = 0;
  std::vector<kernels::TS_U32> read_;
  // The elements that are left.
  std::vector<statistics::GroupKey> left_keys_;
  base::Bytes left_elements_;
  std::vector<std::int64_t> left_places_;
};

}  // namespace tessera::device::gpu
