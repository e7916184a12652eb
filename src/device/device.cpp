#include "device/device.hpp"

#include <vector>

#include "device/axis_reducer.hpp"
#include "device/group_reducer.hpp"
#include "device/mapper.hpp"
#include "device/reducer.hpp"
#include "statistics/pair_products.hpp"

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

std::unique_ptr<HostBuffer> HostBuffers::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

void Reducer::add_pairs(const statistics::Elements& x, const statistics::Elements& y,
                        const statistics::ReductionSpec& spec, statistics::PairSums& sums) {
  statistics::add_products(x.bytes(), y.bytes(), spec, sums);
}

void Reducer::reduce_pairs(const statistics::Elements& x, const statistics::Elements& y,
                           const statistics::Indexing& indexing,
                           const statistics::ReductionSpec& spec, statistics::Partial& partial) {
  add_pairs(x, y, spec, partial.pairs);
  reduce(x, indexing, partial);
}

std::unique_ptr<Reducer> Device::open_reducer(const statistics::ReductionSpec&) const {
  return nullptr;
}

std::unique_ptr<AxisReducer> Device::open_axis_reducer(const statistics::OutputSpec&) const {
  return nullptr;
}

std::unique_ptr<GroupReducer> Device::open_group_reducer(const statistics::GroupSpec&) const {
  return nullptr;
}

std::unique_ptr<Mapper> Device::open_mapper() const {
  return nullptr;
}

}  // namespace tessera::device
