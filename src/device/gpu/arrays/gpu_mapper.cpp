#include "device/gpu/arrays/gpu_mapper.hpp"

#include <algorithm>

namespace tessera::device::gpu {

void GpuMapper::evaluate(const statistics::MappedElements& elements, base::ElementType type,
                         std::span<std::byte> to) {
  const auto element_bytes = static_cast<std::int64_t>(base::element_bytes(type));
  const statistics::Elements all(elements);
  const std::int64_t most = elements_at_once(all, elements.count, element_bytes);
  for (std::int64_t first = 0; first < elements.count; first += most) {
    const std::int64_t taken = std::min(most, elements.count - first);
    const auto bytes = static_cast<std::size_t>(taken * element_bytes);
    settled(*stream_, [&] {
      put_elements(all.part(first, taken, type), type, 0, aligned(bytes));
      stream_->copy_out(0, to.first(bytes));
    });
    to = to.subspan(bytes);
  }
}

}  // namespace tessera::device::gpu
