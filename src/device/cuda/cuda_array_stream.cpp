#include "device/cuda/cuda_array_stream.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/expression.hpp"

namespace tessera::device::cuda {
namespace {

constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;
/// A multiprocessor runs at most this many blocks of 256 threads at once.
constexpr int kMostBlocksOfMultiprocessor = 8;

std::size_t most_blocks_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(count) * kMostBlocksOfMultiprocessor;
}

}  // namespace

CudaArrayStream::CudaArrayStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget)
    // Elements are read in vectors of 16 bytes, so the last vector may reach beyond the capacity.
    : CudaQueue(device, budget, TS_VECTOR_BYTES,
                most_blocks_of(device) * sizeof(gpu::Record) +
                    kResidualWords * sizeof(kernels::TS_U64) +
                    TS_MAP_STEPS * sizeof(kernels::TsStep)),
      most_blocks_(most_blocks_of(device)),
      records_(device_memory().make<gpu::Record>(most_blocks_)),
      spill_(device_memory().make<kernels::TS_U64>(kResidualWords)),
      steps_(device_memory().make<kernels::TsStep>(TS_MAP_STEPS)),
      spill_words_(kResidualWords) {
  // A kernel writes only those parts of its records that are requested; all of them are copied.
  set_to_zero(records_.get(), most_blocks_ * sizeof(gpu::Record));
  set_to_zero(spill_.get(), kResidualWords * sizeof(kernels::TS_U64));
  finish();
}

void CudaArrayStream::copy_in(std::span<const std::byte> elements, std::size_t at_byte) {
  make_current();
  copy_to_device(memory() + at_byte, elements);
}

void CudaArrayStream::clear(std::size_t at_byte, std::size_t bytes) {
  make_current();
  set_to_zero(memory() + at_byte, bytes);
}

void CudaArrayStream::make(const kernels::TsMake& make) {
  make_current();
  const std::size_t blocks = gpu::blocks_of(make.count * make.element_bytes, most_blocks_);
  kernels::launch_make(make, memory(), static_cast<unsigned>(blocks), stream());
  launched("launch of the kernel that generates arrays");
}

void CudaArrayStream::map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) {
  make_current();
  if (const auto bytes = std::as_bytes(steps); !std::ranges::equal(bytes, known_steps_)) {
    finish();  // nothing uses the steps before
    known_steps_.assign(bytes.begin(), bytes.end());
    copy_to_device(steps_.get(), known_steps_);
  }
  kernels::launch_map(call, steps_.get(), memory(), stream());
  launched("launch of the kernel that evaluates expressions");
}

void CudaArrayStream::copy_out(std::size_t at_byte, std::span<std::byte> elements) {
  make_current();
  copy_from_device(elements, memory() + at_byte);
  finish();
}

void CudaArrayStream::set_bins(std::span<const double> edges, std::size_t outputs) {
  make_current();
  edges_.reset();
  bins_.reset();
  edges_ = device_memory().make<double>(edges.size());
  bin_count_ = (edges.size() - 1) * outputs;
  bins_ = device_memory().make<kernels::TS_U64>(bin_count_);
  copy_to_device(edges_.get(), std::as_bytes(edges));
  set_to_zero(bins_.get(), bin_count_ * sizeof(kernels::TS_U64));
  finish();
}

void CudaArrayStream::set_logarithms(std::span<const kernels::TS_U64> words) {
  static_assert(sizeof(double) == sizeof(kernels::TS_U64));
  make_current();
  logarithms_.reset();
  logarithms_ = device_memory().make<double>(words.size());
  copy_to_device(logarithms_.get(), std::as_bytes(words));
  finish();
}

void CudaArrayStream::set_cells(std::size_t cells, std::size_t limbs) {
  make_current();
  spill_words_ = std::max<std::size_t>(1, limbs);
  records_.reset();
  spill_.reset();
  records_ = device_memory().make<gpu::Record>(cells);
  spill_ = device_memory().make<kernels::TS_U64>(spill_words_);
  set_to_zero(records_.get(), cells * sizeof(gpu::Record));
  set_to_zero(spill_.get(), spill_words_ * sizeof(kernels::TS_U64));
  finish();
}

kernels::ReduceMemory CudaArrayStream::all_memory() const {
  return {memory(), records_.get(), spill_.get(), edges_.get(), bins_.get()};
}

void CudaArrayStream::launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
                             std::size_t bytes) {
  make_current();
  // At most the number of blocks that run at once: all have the same amount of work, and a second
  // wave would not fill the device.
  const int of_multiprocessor = kernels::blocks_at_once(kernel);
  check(cudaGetLastError(), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const std::size_t at_once =
      most_blocks_ / kMostBlocksOfMultiprocessor *
      static_cast<std::size_t>(std::clamp(of_multiprocessor, 1, kMostBlocksOfMultiprocessor));
  blocks_ = gpu::blocks_of(bytes, at_once);
  kernels::ReduceMemory all = all_memory();
  if (kernel == kernels::ReduceKernel::product) all.edges = logarithms_.get();
  kernels::launch_reduce(kernel, call, all, static_cast<unsigned>(blocks_), stream());
  launched("launch of the reduction kernel");
}

void CudaArrayStream::launch_along_axes(const kernels::TsAxis& call) {
  make_current();
  kernels::launch_axis(call.type >= TS_TYPE_F16, call, all_memory(),
                       static_cast<unsigned>(gpu::blocks_of(call)), stream());
  launched("launch of the reduction along axes");
}

void CudaArrayStream::launch_keys(const kernels::TsKeys& call) {
  make_current();
  const std::size_t blocks = gpu::blocks_of_elements(call.elements, most_blocks_);
  kernels::launch_keys(call, memory(), static_cast<unsigned>(blocks), stream());
  launched("launch of the kernel that looks at keys");
}

void CudaArrayStream::launch_groups(const kernels::TsGroups& call) {
  make_current();
  const std::size_t blocks = gpu::blocks_of_elements(call.elements, most_blocks_);
  kernels::launch_groups(call, memory(), static_cast<unsigned>(blocks), stream());
  launched("launch of the kernel that reduces groups");
}

void CudaArrayStream::launch_keep(const kernels::TsKeep& call) {
  make_current();
  const std::size_t blocks = gpu::blocks_of(call, most_blocks_);
  kernels::launch_keep(call, memory(), static_cast<unsigned>(blocks), stream());
  launched("launch of the kernel that keeps elements");
}

void CudaArrayStream::launch_select(const kernels::TsSelect& call) {
  make_current();
  kernels::launch_select(call, memory(), stream());
  launched("launch of the kernel that selects keys");
}

void CudaArrayStream::launch_list(const kernels::TsSelect& call) {
  make_current();
  kernels::launch_list(call, memory(), stream());
  launched("launch of the kernel that lists elements");
}

void CudaArrayStream::launch_values(const kernels::TsValues& call) {
  make_current();
  kernels::launch_values(call, memory(), stream());
  launched("launch of the kernel that counts values");
}

void CudaArrayStream::launch_search(const kernels::TsSearch& call) {
  make_current();
  const std::size_t blocks = gpu::blocks_of_elements(call.elements, most_blocks_);
  kernels::launch_search(call, memory(), static_cast<unsigned>(blocks), stream());
  launched("launch of the kernel that searches groups");
}

std::span<std::byte> CudaArrayStream::room_in(std::unique_ptr<StreamBuffer>& buffer,
                                              std::size_t bytes) const {
  if (!buffer || buffer->bytes().size() < bytes) {
    buffer.reset();
    buffer = make_buffer(bytes);
  }
  return buffer->bytes().first(bytes);
}

std::span<const gpu::Record> CudaArrayStream::read_cells(std::size_t count) {
  make_current();
  const auto to = room_in(read_records_, count * sizeof(gpu::Record));
  copy_from_device(to, records_.get());
  finish();
  return {reinterpret_cast<const gpu::Record*>(to.data()), count};
}

std::span<const kernels::TS_U64> CudaArrayStream::read_and_clear(
    kernels::TS_U64* memory, std::size_t words, std::unique_ptr<StreamBuffer>& buffer) {
  make_current();
  const auto to = room_in(buffer, words * sizeof(kernels::TS_U64));
  copy_from_device(to, memory);
  set_to_zero(memory, to.size());
  finish();
  return {reinterpret_cast<const kernels::TS_U64*>(to.data()), words};
}

std::span<const kernels::TS_U64> CudaArrayStream::read_spill() {
  return read_and_clear(spill_.get(), spill_words_, read_spill_);
}

std::span<const kernels::TS_U64> CudaArrayStream::read_bins() {
  return read_and_clear(bins_.get(), bin_count_, read_bins_);
}

}  // namespace tessera::device::cuda
