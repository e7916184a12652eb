// Axis reductions on a GPU. Each output of a tile has accumulators ("cells") on the device.
// Launches add to them; the host reads them when the tile is complete.
#pragma once

#include <memory>
#include <optional>

#include "device/axis_reducer.hpp"
#include "device/gpu/arrays/axes/axis_launches.hpp"
#include "device/gpu/arrays/axes/output_cells.hpp"
#include "device/gpu/arrays/order/kept_elements.hpp"
#include "device/gpu/arrays/stream/reducer_on_queue.hpp"

namespace tessera::device::gpu {

class GpuAxisReducer : public ReducerOnQueue<AxisReducer> {
 public:
  GpuAxisReducer(std::unique_ptr<ArrayStream> stream, statistics::OutputSpec output_spec,
                 std::size_t max_bytes = kMaxBytes);

  std::size_t batch_bytes() const override { return kBatchBytes; }
  bool keep_elements(std::int64_t outputs, std::int64_t elements_each,
                     const statistics::OrderPasses& passes) override;
  void begin(std::int64_t outputs) override;
  void add(const statistics::Elements& elements, const plan::AxisPiece& piece) override;
  void wait() override { stream_->wait(); }
  void end() override;
  statistics::SpecialCounts specials() const override { return specials_of(all_); }
  void find_order(const statistics::OrderPasses& passes, const VisitFindings& visit) override;
  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override;

 private:
  /// Bytes of a batch of pieces.
  static constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

  void prepare_stream() override;
  void make_room();
  /// Whether the memory has room for what is kept, as far as it can grow.
  bool has_room_to_keep();
  void launch(AxisPart& part);
  void count_terms(std::int64_t terms);

  statistics::OutputSpec output_spec_;
  SpillRange spill_;
  std::int64_t element_bytes_;
  std::int64_t outputs_ = 0;
  std::int64_t max_splits_ = 1;
  std::int64_t used_splits_ = 0;  ///< in the current round
  std::int64_t terms_ = 0;        ///< elements per output in the current round
  std::uint32_t round_ = 1;
  // Allocated numbers of cells and outputs.
  std::int64_t cells_ = 0;
  std::int64_t spilling_outputs_ = 0;
  std::int64_t counted_outputs_ = 0;
  statistics::OutputPartials all_;
  std::optional<KeptElements> kept_;
};

}  // namespace tessera::device::gpu
