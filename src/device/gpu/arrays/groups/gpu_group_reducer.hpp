// A reducer of groups on a GPU. The host numbers the groups; the GPU adds elements to the cells of
// their groups (kernels/gpu/groups.h). In passes for order statistics, the GPU finds the groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "device/gpu/arrays/groups/group_cells.hpp"
#include "device/gpu/arrays/groups/group_search.hpp"
#include "device/gpu/arrays/stream/reducer_on_queue.hpp"
#include "device/group_reducer.hpp"
#include "device/groups/found_groups.hpp"

namespace tessera::device::gpu {

class GpuGroupReducer : public ReducerOnQueue<GroupReducer> {
 public:
  GpuGroupReducer(std::unique_ptr<ArrayStream> stream, const statistics::GroupSpec& group_spec,
                  std::size_t max_bytes);

  void begin(const GroupScope& scope) override;
  std::size_t add(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> places) override;
  statistics::GroupPartials finish() override;
  bool begin_tally(const statistics::GroupRequest& request) override;
  void tally(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
             std::span<const std::int64_t> places, statistics::GroupTally& to) override;
  void end_tally(statistics::GroupTally& to) override;

 private:
  void prepare_stream() override;

  /// Elements with the numbers of their groups, to be copied to the device together.
  struct Batch {
    std::size_t room = 0;
    std::size_t count = 0;
    std::size_t outside = 0;  ///< elements of these outside of the window
    std::span<std::uint32_t> groups;
    std::span<std::byte> elements;
    std::span<std::int64_t> places;
    std::unique_ptr<HostBuffer> memory;
  };

  std::size_t bytes_each() const;
  void make_batch(std::size_t room);
  void add_block(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                 std::span<const std::int64_t> places);
  bool has_cells();
  /// False if the device has no memory for that.
  bool make_cells(std::size_t groups);
  /// Reduces the batch.
  void flush();
  void launch();
  /// Adds the cells to the partial results, and clears them.
  void drain();
  void clear_cells();

  statistics::GroupSpec group_spec_;
  CellLayout layout_;
  std::size_t element_bytes_;
  FoundGroups found_;
  Batch batch_;
  // In the memory of the stream: the count of terms outside, the batch, the cells.
  std::size_t device_room_ = 0;        ///< elements of a batch
  std::size_t cells_at_ = 0;           ///< byte
  std::size_t cells_for_ = 0;          ///< groups
  std::size_t copies_ = 1;             ///< cells of a group
  std::size_t used_ = 0;               ///< groups whose cells may not be 0
  std::size_t added_ = 0;              ///< elements in the cells
  std::optional<GroupSearch> search_;  ///< uses all of the memory
  std::vector<kernels::TS_U32> read_;
  std::array<std::uint16_t, FoundGroups::kMaxKeys> chosen_{};
  std::array<std::uint32_t, FoundGroups::kMaxKeys> groups_{};
};

}  // namespace tessera::device::gpu
