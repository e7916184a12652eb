#include "device/opencl/cl_array_stream.hpp"

#include <algorithm>

#include "device/opencl/expression_source.hpp"
#include "device/opencl/program.hpp"

namespace tessera::device::opencl {
namespace {

constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;

/// Enough blocks to fill the device; each block strides over the elements.
std::size_t blocks_on(const OpenDevice& device) {
  cl_uint units = 1;
  check(device.cl.clGetDeviceInfo(device.found.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units),
                                  &units, nullptr),
        "clGetDeviceInfo");
  return std::size_t{units} * (device.found.info.is_gpu ? 8 : 2);
}

/// In bytes.
cl_ulong local_memory_of(const OpenDevice& device) {
  cl_ulong bytes = 0;
  check(device.cl.clGetDeviceInfo(device.found.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(bytes),
                                  &bytes, nullptr),
        "clGetDeviceInfo");
  return bytes;
}

}  // namespace

ClArrayStream::ClArrayStream(const std::shared_ptr<const OpenDevice>& device)
    // Elements are read in vectors of 16 bytes, so the last vector may reach beyond the capacity.
    : ClQueue(device, TS_VECTOR_BYTES,
              blocks_on(*device) * sizeof(gpu::Record) +
                  (kResidualWords + 2) * sizeof(kernels::TS_U64) + 2 * sizeof(double)),
      blocks_at_once_(blocks_on(*device)),
      has_sum_kernels_(local_memory_of(*device) >= TS_SUM_BLOCK_BYTES),
      records_(queue().make_memory(blocks_at_once_ * sizeof(gpu::Record))),
      spill_(queue().make_memory(kResidualWords * sizeof(kernels::TS_U64))),
      edges_(queue().make_memory(2 * sizeof(double))),
      bins_(queue().make_memory(sizeof(kernels::TS_U64))),
      logarithms_(queue().make_memory(sizeof(kernels::TS_U64))),
      spill_words_(kResidualWords) {}

cl_kernel ClArrayStream::kernel(kernels::ArrayKernel which) {
  const auto [entry, is_new] = kernels_.try_emplace(which);
  if (is_new) {
    const Program& program = queue().device().array_program(which);
    entry->second =
        queue().make_kernel(program, fmt::format("ts_{}", kernels::row_of(which).name).c_str());
  }
  return entry->second.get();
}

cl_kernel ClArrayStream::kernel(std::span<const kernels::TsStep> steps,
                                std::span<const kernels::TsMapResult> results) {
  Kernel& found = maps_[expression_key(steps, results)];
  if (found.get() == nullptr) {
    const std::string source = kExpressionSource + expression_kernel(steps, results);
    found = queue().make_kernel(queue().device().program_of(source), "ts_map");
  }
  return found.get();
}

void ClArrayStream::map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) {
  const std::span<const kernels::TsMapResult> results(call.results);
  queue().launch(kernel(steps, results.first(call.result_count)),
                 {gpu::blocks_of_threads(call.elements), TS_REDUCE_BLOCK}, call, memory());
}

void ClArrayStream::copy_out(std::size_t at_byte, std::span<std::byte> elements) {
  queue().read(memory(), at_byte, elements);
  queue().wait();
}

void ClArrayStream::set_bins(std::span<const double> edges, std::size_t outputs) {
  edges_ = {};
  bins_ = {};
  edges_ = queue().make_memory(edges.size_bytes());
  bin_count_ = (edges.size() - 1) * outputs;
  bins_ = queue().make_memory(bin_count_ * sizeof(kernels::TS_U64));
  queue().write(edges_.get(), std::as_bytes(edges));
  queue().wait();
}

void ClArrayStream::set_logarithms(std::span<const kernels::TS_U64> words) {
  logarithms_ = {};
  logarithms_ = queue().make_memory(words.size_bytes());
  queue().write(logarithms_.get(), std::as_bytes(words));
  queue().wait();
}

void ClArrayStream::set_cells(std::size_t cells, std::size_t limbs) {
  spill_words_ = std::max<std::size_t>(1, limbs);
  records_ = {};
  spill_ = {};
  records_ = queue().make_memory(cells * sizeof(gpu::Record));
  spill_ = queue().make_memory(spill_words_ * sizeof(kernels::TS_U64));
}

void ClArrayStream::launch(kernels::ArrayKernel kernel, std::size_t blocks,
                           std::span<const kernels::TS_U64> arguments) {
  if (!has_sum_kernels_) kernel = gpu::kernel_of_everything(kernel);
  const kernels::Blocks most = kernels::row_of(kernel).blocks;
  if (most != kernels::Blocks::exact) blocks = std::min(blocks, blocks_at_once_);
  if (most == kernels::Blocks::resident) blocks_ = blocks;
  const bool product = kernel == kernels::ArrayKernel::product;
  queue().launch(this->kernel(kernel), {blocks, TS_REDUCE_BLOCK}, std::as_bytes(arguments),
                 {memory(), records_.get(), spill_.get(),
                  product ? logarithms_.get() : edges_.get(), bins_.get()});
}

std::span<const gpu::Record> ClArrayStream::read_cells(std::size_t count) {
  read_records_.resize(count);
  queue().read(records_.get(), 0, std::as_writable_bytes(std::span(read_records_)));
  queue().wait();
  return read_records_;
}

void ClArrayStream::set_to_zero(cl_mem memory, std::size_t at_byte, std::size_t bytes) {
  const cl_uchar zero = 0;
  queue().check(queue().cl().clEnqueueFillBuffer(queue().get(), memory, &zero, sizeof(zero),
                                                 at_byte, bytes, 0, nullptr, nullptr),
                "clEnqueueFillBuffer");
}

std::span<const kernels::TS_U64> ClArrayStream::read_and_clear(cl_mem memory, std::size_t words,
                                                               Words& to) {
  to.resize(words);
  const auto bytes = std::as_writable_bytes(std::span(to));
  queue().read(memory, 0, bytes);
  set_to_zero(memory, 0, bytes.size());
  queue().wait();
  return to;
}

std::span<const kernels::TS_U64> ClArrayStream::read_spill() {
  return read_and_clear(spill_.get(), spill_words_, read_spill_);
}

std::span<const kernels::TS_U64> ClArrayStream::read_bins() {
  return read_and_clear(bins_.get(), bin_count_, read_bins_);
}

}  // namespace tessera::device::opencl
