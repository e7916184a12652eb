// The interface between the GPU reducer and a backend: all differences of CUDA and OpenCL in
// reductions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "device/gpu/device_queue.hpp"
#include "kernels/gpu/expression_arguments.hpp"
#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

using Record = kernels::TsReduced;

/// The queue's memory holds elements. TS_VECTOR_BYTES more are allocated behind its capacity.
class ArrayStream : public DeviceQueue {
 public:
  /// Returns at once; `elements` must not change until the next read_*() or wait(). `at_byte` is
  /// the offset in the memory for elements, a multiple of TS_VECTOR_BYTES.
  virtual void copy_in(std::span<const std::byte> elements, std::size_t at_byte) = 0;
  /// Returns at once. Sets bytes of the memory to 0; both numbers are multiples of 16.
  virtual void clear(std::size_t at_byte, std::size_t bytes) = 0;
  /// Returns at once. Generates elements instead of copying them.
  virtual void make(const kernels::TsMake& make) = 0;
  /// Returns at once, or when a kernel is compiled. Evaluates an expression of arrays that are in
  /// memory, and puts its elements there, too.
  virtual void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) = 0;
  /// Waits. Copies elements from byte `at_byte` of the memory on.
  virtual void copy_out(std::size_t at_byte, std::span<std::byte> elements) = 0;
  /// Waits. Sets the bin edges of the histograms of `outputs` outputs for later launches and sets
  /// their counts to 0.
  virtual void set_bins(std::span<const double> edges, std::size_t outputs) = 0;
  /// Waits. Sets the table of logarithms for ReduceKernel::product.
  virtual void set_logarithms(std::span<const kernels::TS_U64> words) = 0;
  /// Waits. Allocates output cells and spill limbs for launch_along_axes() and sets all to 0.
  /// Afterwards no other launch is allowed.
  virtual void set_cells(std::size_t cells, std::size_t limbs) = 0;
  /// Returns at once. Reduces the elements in memory, which occupy `bytes` bytes.
  virtual void launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
                      std::size_t bytes) = 0;
  /// Returns at once.
  virtual void launch_along_axes(const kernels::TsAxis& call) = 0;
  /// Return at once. Elements, what is known of them, and results are in memory.
  virtual void launch_keys(const kernels::TsKeys& call) = 0;
  virtual void launch_groups(const kernels::TsGroups& call) = 0;
  virtual void launch_keep(const kernels::TsKeep& call) = 0;
  virtual void launch_select(const kernels::TsSelect& call) = 0;
  virtual void launch_list(const kernels::TsSelect& call) = 0;
  virtual void launch_values(const kernels::TsValues& call) = 0;
  virtual void launch_search(const kernels::TsSearch& call) = 0;
  /// Waits. Returns one record per block of the last launch, valid until the next launch.
  virtual std::span<const Record> read_records() = 0;
  /// Waits. Returns the first `count` cells, valid until the next launch.
  virtual std::span<const Record> read_cells(std::size_t count) = 0;
  /// Waits. Returns the limbs to which blocks spilled since the last call, slot by slot, valid
  /// until the next call.
  virtual std::span<const kernels::TS_U64> read_spill() = 0;
  /// Waits. Returns the counts of the bins since the last call, valid until the next call.
  virtual std::span<const kernels::TS_U64> read_bins() = 0;
};

/// The kernel of a launch. A sum alone of f32 or f64 has its own kernel.
inline kernels::ReduceKernel kernel_of(const kernels::TsReduce& call, base::ElementType type) {
  using kernels::ReduceKernel;
  static_assert(static_cast<int>(ReduceKernel::f64) == static_cast<int>(base::ElementType::f64));
  static_assert(TS_TYPE_U8 == static_cast<int>(base::ElementType::u8));
  static_assert(TS_TYPE_F64 == static_cast<int>(base::ElementType::f64));
  const bool sum_alone = (call.flags & ~TS_SKIP_NAN) == TS_WANT_SUM;
  if (sum_alone && type == base::ElementType::f32) return ReduceKernel::sum_f32;
  if (sum_alone && type == base::ElementType::f64) return ReduceKernel::sum_f64;
  return static_cast<ReduceKernel>(type);
}

/// The kernel that can do all that `kernel` does for elements of its type.
constexpr kernels::ReduceKernel kernel_of_everything(kernels::ReduceKernel kernel) {
  using kernels::ReduceKernel;
  if (kernel == ReduceKernel::sum_f32) return ReduceKernel::f32;
  return kernel == ReduceKernel::sum_f64 ? ReduceKernel::f64 : kernel;
}

/// Number of blocks of a launch on a device that can run `at_once` blocks at the same time: no more
/// than have elements to reduce.
inline std::size_t blocks_of(std::size_t bytes, std::size_t at_once) {
  constexpr std::size_t kVectorsOfThread = 4;
  constexpr std::size_t kBytes = TS_REDUCE_BLOCK * kVectorsOfThread * TS_VECTOR_BYTES;
  return std::max<std::size_t>(1, std::min(at_once, (bytes + kBytes - 1) / kBytes));
}

/// Number of blocks of a launch that evaluates an expression: a thread has one element.
inline std::size_t blocks_of(const kernels::TsMap& call) {
  return (call.elements + TS_REDUCE_BLOCK - 1) / TS_REDUCE_BLOCK;
}

/// Number of blocks of a launch along axes.
inline std::size_t blocks_of(const kernels::TsAxis& call) {
  const std::size_t threads = std::size_t{call.outputs} * call.splits * call.lanes;
  return (threads + TS_REDUCE_BLOCK - 1) / TS_REDUCE_BLOCK;
}

/// Number of blocks of a launch whose threads take one element after another.
inline std::size_t blocks_of_elements(std::size_t elements, std::size_t at_once) {
  return blocks_of(elements * TS_VECTOR_BYTES, at_once);
}

inline std::size_t blocks_of(const kernels::TsKeep& call, std::size_t at_once) {
  return blocks_of_elements(std::size_t{call.axis.outputs} * call.axis.terms, at_once);
}

/// Slots of a table of as many values: so many that few share one.
constexpr std::size_t value_slots(std::size_t elements) {
  return 2 * elements;
}

/// How many blocks count the values of a table.
inline std::size_t blocks_of_table(std::size_t elements) {
  constexpr std::size_t kElementsOfTable = 4096;
  constexpr std::size_t kMostTableBlocks = 256;
  return std::clamp<std::size_t>(elements / kElementsOfTable, 1, kMostTableBlocks);
}

/// Offset of the second of two arrays, after `bytes` bytes of the first.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + TS_VECTOR_BYTES - 1) / TS_VECTOR_BYTES * TS_VECTOR_BYTES;
}

}  // namespace tessera::device::gpu
