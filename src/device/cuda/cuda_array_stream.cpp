#include "device/cuda/cuda_array_stream.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/expression.hpp"
#include "kernels/cuda/reduce.hpp"

namespace tessera::device::cuda {
namespace {

constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;
/// A multiprocessor runs at most this many blocks of 256 threads at once.
// not crossed: speed only
constexpr int kMostBlocksOfMultiprocessor = 8;

/// Indexed by ArrayKernel; for messages.
constexpr std::string_view kLaunches[] = {
#define TS_LAUNCH(name, arguments, blocks) "launch of the kernel ts_" #name,
    TS_ARRAY_KERNELS(TS_LAUNCH)
#undef TS_LAUNCH
};

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

/// All have the same amount of work, and a second wave would not fill the device.
std::size_t CudaArrayStream::blocks_at_once(kernels::ArrayKernel kernel) const {
  int of_multiprocessor = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
          &of_multiprocessor, kernels::entry_of(kernel), TS_REDUCE_BLOCK, 0, cudaOccupancyDefault),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return most_blocks_ / kMostBlocksOfMultiprocessor *
         static_cast<std::size_t>(std::clamp(of_multiprocessor, 1, kMostBlocksOfMultiprocessor));
}

void CudaArrayStream::launch(kernels::ArrayKernel kernel, std::size_t blocks,
                             std::span<const kernels::TS_U64> arguments) {
  make_current();
  const kernels::Blocks most = kernels::row_of(kernel).blocks;
  if (most == kernels::Blocks::filling) blocks = std::min(blocks, most_blocks_);
  if (most == kernels::Blocks::resident) blocks = std::min(blocks, blocks_at_once(kernel));
  if (most == kernels::Blocks::resident) blocks_ = blocks;
  const std::byte* elements = memory();
  const gpu::Record* records = records_.get();
  const kernels::TS_U64* spill = spill_.get();
  const double* table = kernel == kernels::ArrayKernel::product ? logarithms_.get() : edges_.get();
  const kernels::TS_U64* bins = bins_.get();
  void* all[] = {
      const_cast<kernels::TS_U64*>(arguments.data()), &elements, &records, &spill, &table, &bins};
  cudaLaunchKernel(kernels::entry_of(kernel), dim3(static_cast<unsigned>(blocks)),
                   dim3(TS_REDUCE_BLOCK), all, 0, stream());
  launched(kLaunches[static_cast<std::size_t>(kernel)]);
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
