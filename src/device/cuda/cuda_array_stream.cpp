#include "device/cuda/cuda_array_stream.hpp"

#include <algorithm>

namespace tessera::device::cuda {
namespace {

constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;
/// A multiprocessor runs at most this many groups of 256 threads at once.
constexpr int kMostGroupsOfMultiprocessor = 8;

std::size_t multiprocessors_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(count);
}

}  // namespace

CudaArrayStream::CudaArrayStream(int device)
    // Elements are read in vectors of 16 bytes, so the last vector may reach beyond the capacity.
    : CudaQueue(device, TS_VECTOR_BYTES),
      most_groups_(multiprocessors_of(device) * kMostGroupsOfMultiprocessor),
      records_(make_device_array<gpu::Record>(most_groups_)),
      spill_(make_device_array<kernels::TS_U64>(kResidualWords)),
      spill_words_(kResidualWords),
      read_records_(most_groups_ * sizeof(gpu::Record)) {
  // A kernel writes only those parts of its records that are requested; all of them are copied.
  check(cudaMemsetAsync(records_.get(), 0, most_groups_ * sizeof(gpu::Record), stream().get()),
        "cudaMemsetAsync");
  check(cudaMemsetAsync(spill_.get(), 0, kResidualWords * sizeof(kernels::TS_U64), stream().get()),
        "cudaMemsetAsync");
  stream().wait();
}

void CudaArrayStream::copy_in(std::span<const std::byte> elements, std::size_t at_byte) {
  make_current();
  check(cudaMemcpyAsync(memory() + at_byte, elements.data(), elements.size(),
                        cudaMemcpyHostToDevice, stream().get()),
        "cudaMemcpyAsync to the device");
}

void CudaArrayStream::make(const kernels::TsMake& make) {
  make_current();
  const std::size_t groups = gpu::groups_of(make.count * make.element_bytes, most_groups_);
  kernels::launch_make(make, memory(), static_cast<unsigned>(groups), stream().get());
  check(cudaGetLastError(), "launch of the kernel that makes arrays");
}

void CudaArrayStream::set_bins(std::span<const double> edges, std::size_t outputs) {
  make_current();
  edges_ = make_device_array<double>(edges.size());
  bin_count_ = (edges.size() - 1) * outputs;
  bins_ = make_device_array<kernels::TS_U64>(bin_count_);
  check(cudaMemcpyAsync(edges_.get(), edges.data(), edges.size_bytes(), cudaMemcpyHostToDevice,
                        stream().get()),
        "cudaMemcpyAsync to the device");
  check(cudaMemsetAsync(bins_.get(), 0, bin_count_ * sizeof(kernels::TS_U64), stream().get()),
        "cudaMemsetAsync");
  stream().wait();
}

void CudaArrayStream::set_logarithms(std::span<const kernels::TS_U64> words) {
  static_assert(sizeof(double) == sizeof(kernels::TS_U64));
  make_current();
  logarithms_ = make_device_array<double>(words.size());
  check(cudaMemcpyAsync(logarithms_.get(), words.data(), words.size_bytes(), cudaMemcpyHostToDevice,
                        stream().get()),
        "cudaMemcpyAsync to the device");
  stream().wait();
}

void CudaArrayStream::set_cells(std::size_t cells, std::size_t limbs) {
  make_current();
  spill_words_ = std::max<std::size_t>(1, limbs);
  records_ = make_device_array<gpu::Record>(cells);
  spill_ = make_device_array<kernels::TS_U64>(spill_words_);
  read_records_ = PinnedBuffer(cells * sizeof(gpu::Record));
  check(cudaMemsetAsync(records_.get(), 0, cells * sizeof(gpu::Record), stream().get()),
        "cudaMemsetAsync");
  check(cudaMemsetAsync(spill_.get(), 0, spill_words_ * sizeof(kernels::TS_U64), stream().get()),
        "cudaMemsetAsync");
  stream().wait();
}

kernels::ReduceMemory CudaArrayStream::all_memory() const {
  return {memory(), records_.get(), spill_.get(), edges_.get(), bins_.get()};
}

void CudaArrayStream::launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
                             std::size_t bytes) {
  make_current();
  // At most the number of groups that run at once: all have the same amount of work, and a second
  // wave would not fill the device.
  const int of_multiprocessor = kernels::groups_at_once(kernel);
  check(cudaGetLastError(), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const std::size_t at_once =
      most_groups_ / kMostGroupsOfMultiprocessor *
      static_cast<std::size_t>(std::clamp(of_multiprocessor, 1, kMostGroupsOfMultiprocessor));
  groups_ = gpu::groups_of(bytes, at_once);
  kernels::ReduceMemory all = all_memory();
  if (kernel == kernels::ReduceKernel::product) all.edges = logarithms_.get();
  kernels::launch_reduce(kernel, call, all, static_cast<unsigned>(groups_), stream().get());
  check(cudaGetLastError(), "launch of the reduction kernel");
}

void CudaArrayStream::launch_along_axes(const kernels::TsAxis& call) {
  make_current();
  kernels::launch_axis(call.type >= TS_TYPE_F16, call, all_memory(),
                       static_cast<unsigned>(gpu::groups_of(call)), stream().get());
  check(cudaGetLastError(), "launch of the reduction along axes");
}

std::span<const gpu::Record> CudaArrayStream::read_cells(std::size_t count) {
  make_current();
  const auto to = read_records_.bytes().first(count * sizeof(gpu::Record));
  check(
      cudaMemcpyAsync(to.data(), records_.get(), to.size(), cudaMemcpyDeviceToHost, stream().get()),
      "cudaMemcpyAsync from the device");
  stream().wait();
  return {reinterpret_cast<const gpu::Record*>(to.data()), count};
}

std::span<const kernels::TS_U64> CudaArrayStream::read_and_clear(kernels::TS_U64* memory,
                                                                 std::size_t words, Words& to) {
  make_current();
  to.resize(words);
  const std::size_t bytes = words * sizeof(kernels::TS_U64);
  check(cudaMemcpyAsync(to.data(), memory, bytes, cudaMemcpyDeviceToHost, stream().get()),
        "cudaMemcpyAsync from the device");
  check(cudaMemsetAsync(memory, 0, bytes, stream().get()), "cudaMemsetAsync");
  stream().wait();
  return to;
}

std::span<const kernels::TS_U64> CudaArrayStream::read_spill() {
  return read_and_clear(spill_.get(), spill_words_, read_spill_);
}

std::span<const kernels::TS_U64> CudaArrayStream::read_bins() {
  return read_and_clear(bins_.get(), bin_count_, read_bins_);
}

}  // namespace tessera::device::cuda
