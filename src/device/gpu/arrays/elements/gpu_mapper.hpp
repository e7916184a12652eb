// Evaluates expressions on a GPU and copies their elements back.
#pragma once

#include <memory>

#include "device/gpu/arrays/stream/reducer_on_queue.hpp"
#include "device/mapper.hpp"

namespace tessera::device::gpu {

class GpuMapper : public ReducerOnQueue<Mapper> {
 public:
  explicit GpuMapper(std::unique_ptr<ArrayStream> stream, std::size_t max_bytes = kMaxBytes)
      : ReducerOnQueue(std::move(stream), max_bytes) {}

  std::size_t batch_bytes() const override { return kBatchBytes; }
  void evaluate(const statistics::MappedElements& elements,
                std::span<const base::ElementType> types,
                std::span<const std::span<std::byte>> to) override;

 private:
  /// Bytes of a batch of results, which hide the latency of launches and copies.
  static constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

  void prepare_stream() override {}
};

}  // namespace tessera::device::gpu
