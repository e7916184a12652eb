#include <vector>

#include "device/axis_reduction.hpp"
#include "device/device.hpp"
#include "device/reduction.hpp"

namespace tessera::device {
namespace {

class PlainBuffer : public HostBuffer {
 public:
  explicit PlainBuffer(std::size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<HostBuffer> Lane::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

std::unique_ptr<HostBuffer> Reducer::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

std::unique_ptr<HostBuffer> AxisReducer::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

}  // namespace tessera::device
