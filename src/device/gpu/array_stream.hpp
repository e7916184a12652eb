// All that CUDA and OpenCL differ in when they reduce arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "device/gpu/device_queue.hpp"
#include "statistics/partial.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::gpu {

using Record = kernels::TsReduced;

/// As every DeviceQueue; its memory is for elements, and TS_VECTOR_BYTES more of it are there.
class ArrayStream : public DeviceQueue {
 public:
  /// Returns at once; `elements` stay as they are until the next read_*() or wait(). To `at_byte`,
  /// a multiple of TS_VECTOR_BYTES, of the memory for elements.
  virtual void copy_in(std::span<const std::byte> elements, std::size_t at_byte) = 0;
  /// Returns at once. Makes elements instead of copying them.
  virtual void make(const kernels::TsMake& make) = 0;
  /// Waits. The edges of the histograms of so many outputs for the launches from now on; their
  /// counts are 0.
  virtual void set_bins(std::span<const double> edges, std::size_t outputs) = 0;
  /// Waits. What ReduceKernel::product needs.
  virtual void set_logarithms(std::span<const kernels::TS_U64> words) = 0;
  /// Waits. What launch_along_axes() needs from now on: cells, and limbs to spill to, all 0. No
  /// other launch comes after it.
  virtual void set_cells(std::size_t cells, std::size_t limbs) = 0;
  /// Returns at once. Reduces the elements that are there, which take up so many bytes.
  virtual void launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
                      std::size_t bytes) = 0;
  /// Returns at once.
  virtual void launch_along_axes(const kernels::TsAxis& call) = 0;
  /// Waits; a record of each group of the last launch, until the next launch.
  virtual std::span<const Record> read_records() = 0;
  /// Waits; the first `count` cells, until the next launch.
  virtual std::span<const Record> read_cells(std::size_t count) = 0;
  /// Waits; what groups have spilled since it was asked for last, slot by slot, until the next
  /// call.
  virtual std::span<const kernels::TS_U64> read_spill() = 0;
  /// Waits; counts of the bins since they were asked for last, until the next call.
  virtual std::span<const kernels::TS_U64> read_bins() = 0;
};

/// Sums of f32 and f64 alone have a kernel of their own.
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

/// Groups of a launch on a device that runs `at_once` of them: no more than have something to do.
inline std::size_t groups_of(std::size_t bytes, std::size_t at_once) {
  constexpr std::size_t kVectorsOfThread = 4;
  constexpr std::size_t kBytes = TS_REDUCE_GROUP * kVectorsOfThread * TS_VECTOR_BYTES;
  return std::max<std::size_t>(1, std::min(at_once, (bytes + kBytes - 1) / kBytes));
}

/// Groups of a launch along axes.
inline std::size_t groups_of(const kernels::TsAxis& call) {
  const std::size_t threads = std::size_t{call.outputs} * call.splits * call.lanes;
  return (threads + TS_REDUCE_GROUP - 1) / TS_REDUCE_GROUP;
}

/// Where the second of two arrays begins, behind `bytes` of the first.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + TS_VECTOR_BYTES - 1) / TS_VECTOR_BYTES * TS_VECTOR_BYTES;
}

}  // namespace tessera::device::gpu
