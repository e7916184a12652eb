#include <cub/device/device_reduce.cuh>

#include "cub_sum.hpp"

namespace tessera::bench {
namespace {

template <class T>
cudaError_t sum_of(const void* elements, std::uint64_t count, void* room, std::size_t& room_bytes,
                   void* sum, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(room, room_bytes, static_cast<const T*>(elements),
                                static_cast<T*>(sum), static_cast<std::int64_t>(count), stream);
}

}  // namespace

std::size_t cub_room(std::uint64_t count, bool is_f64) {
  std::size_t bytes = 0;
  if (is_f64) {
    sum_of<double>(nullptr, count, nullptr, bytes, nullptr, nullptr);
  } else {
    sum_of<float>(nullptr, count, nullptr, bytes, nullptr, nullptr);
  }
  return bytes;
}

cudaError_t cub_sum(const void* elements, std::uint64_t count, bool is_f64, void* room,
                    std::size_t room_bytes, void* sum, cudaStream_t stream) {
  return is_f64 ? sum_of<double>(elements, count, room, room_bytes, sum, stream)
                : sum_of<float>(elements, count, room, room_bytes, sum, stream);
}

}  // namespace tessera::bench
