#include "device/gpu/arrays/elements/gpu_mapper.hpp"

#include <algorithm>

#include "device/gpu/arrays/stream/reducer_on_queue.hpp"

namespace tessera::device::gpu {
namespace {

class GpuMapper : public ReducerOnQueue<Mapper> {
 public:
  explicit GpuMapper(std::unique_ptr<ArrayStream> stream, std::size_t max_bytes = kMaxBytes)
      : ReducerOnQueue(std::move(stream), max_bytes) {}

  std::size_t batch_bytes() const override { return kBatchBytes; }
  void evaluate(const statistics::MappedElements& elements,
                std::span<const base::ElementType> types,
                std::span<const std::span<std::byte>> to) override {
    std::size_t bytes_each = 0;
    for (const base::ElementType type : types) bytes_each += base::element_bytes(type);
    const statistics::Elements all(elements);
    const std::int64_t most = elements_at_once(
        all, elements.count, static_cast<std::int64_t>(bytes_each), types.size() * TS_VECTOR_BYTES);
    for (std::int64_t first = 0; first < elements.count; first += most) {
      const std::int64_t taken = std::min(most, elements.count - first);
      const auto bytes = [](base::ElementType type, std::int64_t count) {
        return base::element_bytes(type) * static_cast<std::size_t>(count);
      };
      std::size_t end = 0;
      for (const base::ElementType type : types) end = aligned(end + bytes(type, taken));
      settled(*stream_, [&] {
        put_elements(all.part(first, taken, types.front()), types.front(), 0, end);
        std::size_t at = 0;
        for (std::size_t i = 0; i < types.size(); ++i) {
          stream_->copy_out(at, to[i].subspan(bytes(types[i], first), bytes(types[i], taken)));
          at = aligned(at + bytes(types[i], taken));
        }
      });
    }
  }

 private:
  /// Bytes of a batch of results, which hide the latency of launches and copies.
  static constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

  void prepare_stream() override {}
};

}  // namespace

std::unique_ptr<Mapper> make_gpu_mapper(std::unique_ptr<ArrayStream> stream,
                                        std::size_t max_bytes) {
  return std::make_unique<GpuMapper>(std::move(stream), max_bytes);
}

}  // namespace tessera::device::gpu
