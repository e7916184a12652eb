#include "device/device.hpp"

#include <vector>

#include "base/error.hpp"
#include "device/axis_reducer.hpp"
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

std::unique_ptr<HostBuffer> Lane::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

std::unique_ptr<HostBuffer> Reducer::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

std::unique_ptr<HostBuffer> AxisReducer::make_host_buffer(std::size_t bytes) {
  return std::make_unique<PlainBuffer>(bytes);
}

void Reducer::add_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                        const statistics::ReductionSpec& spec, statistics::PairSums& sums) {
  statistics::add_products(x, y, spec, sums);
}

void Reducer::reduce_pairs(std::span<const std::byte> x, std::span<const std::byte> y,
                           const statistics::Indexing& indexing,
                           const statistics::ReductionSpec& spec, statistics::Partial& partial) {
  add_pairs(x, y, spec, partial.pairs);
  reduce(x, indexing, partial);
}

void Reducer::reduce_generated(const statistics::GeneratedElements& generated,
                               const statistics::Indexing&, statistics::Partial&) {
  throw base::run_error("{}: is not made by this device", generated.input.text);
}

void Reducer::reduce_generated_pairs(const statistics::GeneratedElements& x,
                                     const statistics::GeneratedElements&,
                                     const statistics::Indexing&, const statistics::ReductionSpec&,
                                     statistics::Partial&) {
  throw base::run_error("{}: is not made by this device", x.input.text);
}

void Reducer::count_generated(const statistics::GeneratedElements& generated,
                              const statistics::HistogramBins&, std::span<std::int64_t>) {
  throw base::run_error("{}: is not made by this device", generated.input.text);
}

void AxisReducer::add_generated(const statistics::GeneratedElements& generated,
                                const plan::AxisPiece&) {
  throw base::run_error("{}: is not made by this device", generated.input.text);
}

std::unique_ptr<Reducer> Device::open_reducer(const statistics::ReductionSpec&) const {
  return nullptr;
}

std::unique_ptr<AxisReducer> Device::open_axis_reducer(const statistics::OutputSpec&) const {
  return nullptr;
}

}  // namespace tessera::device
