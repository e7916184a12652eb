// The interface between the GPU reducer and a backend: all differences of CUDA and OpenCL in
// reductions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "device/gpu/queue/device_queue.hpp"
#include "kernels/gpu/array_kernels.hpp"
#include "kernels/gpu/expression_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

using Record = kernels::TsReduced;

/// The queue's memory holds elements. TS_VECTOR_BYTES more are allocated behind its capacity.
class ArrayStream : public DeviceQueue {
 public:
  /// Returns at once; `elements` must not change until the next read_*() or wait(). `at_byte` is
  /// the offset in the memory for elements, a multiple of TS_VECTOR_BYTES.
  virtual void copy_in(std::span<const std::byte> elements, std::size_t at_byte) = 0;
  /// Later launches take their elements from there, memory of the device that the calling program
  /// has; null = from the queue's memory again. Kernels that write to that memory are not allowed
  /// meanwhile. Throws std::logic_error if the backend does not do that.
  virtual void borrow(const std::byte* /*elements*/) {
    throw std::logic_error("this backend does not borrow memory");
  }
  /// Returns at once. Sets bytes of the memory to 0; both numbers are multiples of 16.
  virtual void clear(std::size_t at_byte, std::size_t bytes) = 0;
  /// Returns at once, or when a kernel is compiled. Evaluates an expression of arrays that are in
  /// memory, and puts its elements there, too.
  virtual void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) = 0;
  /// Waits. Copies elements from byte `at_byte` of the memory on.
  virtual void copy_out(std::size_t at_byte, std::span<std::byte> elements) = 0;
  /// Waits. Sets the bin edges of the histograms of `outputs` outputs for later launches and sets
  /// their counts to 0.
  virtual void set_bins(std::span<const double> edges, std::size_t outputs) = 0;
  /// Waits. Sets the table of logarithms for ArrayKernel::product.
  virtual void set_logarithms(std::span<const kernels::TS_U64> words) = 0;
  /// Waits. Allocates output cells and spill limbs for the kernels along axes and sets all to 0.
  /// Afterwards no other reduction is allowed.
  virtual void set_cells(std::size_t cells, std::size_t limbs) = 0;
  /// Returns at once. Starts `blocks` blocks of a kernel, or as many of them as its row says.
  template <class Arguments>
  void enqueue(kernels::ArrayKernel kernel, std::size_t blocks, const Arguments& arguments) {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    static_assert(alignof(Arguments) == alignof(kernels::TS_U64));
    if (sizeof(arguments) != kernels::row_of(kernel).argument_bytes) {
      throw std::logic_error("a kernel with arguments of another one");
    }
    launch(kernel, blocks,
           {reinterpret_cast<const kernels::TS_U64*>(&arguments),
            sizeof(arguments) / sizeof(kernels::TS_U64)});
  }
  /// enqueue(), with the struct as it is in memory.
  virtual void launch(kernels::ArrayKernel kernel, std::size_t blocks,
                      std::span<const kernels::TS_U64> arguments) = 0;
  /// Lets the device begin with what was enqueued, if that is not so already.
  virtual void flush() {}
  /// Waits. Returns one record per block of the last reduction, valid until the next launch.
  virtual std::span<const Record> read_records() = 0;
  /// Waits. Returns the first `count` cells, valid until the next launch.
  virtual std::span<const Record> read_cells(std::size_t count) = 0;
  /// Waits. Returns the limbs to which blocks spilled since the last call, slot by slot, valid
  /// until the next call.
  virtual std::span<const kernels::TS_U64> read_spill() = 0;
  /// Waits. Returns the counts of the bins since the last call, valid until the next call.
  virtual std::span<const kernels::TS_U64> read_bins() = 0;
};

/// The kernel that can do everything for elements of a type.
constexpr kernels::ArrayKernel kernel_of(base::ElementType type) {
  static_assert(static_cast<int>(kernels::ArrayKernel::reduce_f64) ==
                static_cast<int>(base::ElementType::f64));
  static_assert(TS_TYPE_U8 == static_cast<int>(base::ElementType::u8));
  static_assert(TS_TYPE_F64 == static_cast<int>(base::ElementType::f64));
  return static_cast<kernels::ArrayKernel>(type);
}

/// The kernel of a launch. A sum alone of f32 or f64, and their extremes, have kernels of their
/// own.
inline kernels::ArrayKernel kernel_of(const kernels::TsReduce& call, base::ElementType type) {
  using kernels::ArrayKernel;
  constexpr std::uint32_t kOrder = TS_WANT_EXTREMES | TS_WANT_INDICES;
  const bool is_f32 = type == base::ElementType::f32;
  if (!is_f32 && type != base::ElementType::f64) return kernel_of(type);
  if ((call.flags & ~TS_SKIP_NAN) == TS_WANT_SUM) {
    return is_f32 ? ArrayKernel::sum_f32 : ArrayKernel::sum_f64;
  }
  const bool order_alone = call.flags != 0 && (call.flags & ~kOrder) == 0;
  if (order_alone) return is_f32 ? ArrayKernel::order_f32 : ArrayKernel::order_f64;
  return kernel_of(type);
}

/// The kernel that can do all that `kernel` does for elements of its type.
constexpr kernels::ArrayKernel kernel_of_everything(kernels::ArrayKernel kernel) {
  using kernels::ArrayKernel;
  switch (kernel) {
    case ArrayKernel::sum_f32:
    case ArrayKernel::order_f32:
      return ArrayKernel::reduce_f32;
    case ArrayKernel::sum_f64:
    case ArrayKernel::order_f64:
      return ArrayKernel::reduce_f64;
    default:
      return kernel;
  }
}

/// Blocks so that each has elements to reduce.
constexpr std::size_t blocks_of_bytes(std::size_t bytes) {
  constexpr std::size_t kVectorsOfThread = 4;
  constexpr std::size_t kBytes = TS_REDUCE_BLOCK * kVectorsOfThread * TS_VECTOR_BYTES;
  return std::max<std::size_t>(1, (bytes + kBytes - 1) / kBytes);
}

/// Blocks of a launch whose threads take one element after another.
constexpr std::size_t blocks_of_elements(std::size_t elements) {
  return blocks_of_bytes(elements * TS_VECTOR_BYTES);
}

/// Blocks of a launch with so many threads.
constexpr std::size_t blocks_of_threads(std::size_t threads) {
  return (threads + TS_REDUCE_BLOCK - 1) / TS_REDUCE_BLOCK;
}

/// Slots of a table of as many values: so many that few share one.
constexpr std::size_t value_slots(std::size_t elements) {
  return 2 * elements;
}

/// How many blocks count the values of a table.
inline std::size_t blocks_of_table(std::size_t elements) {
  // crossed by: of_values_that_occur_more_or_less_often
  constexpr std::size_t kElementsOfTable = 4096;
  constexpr std::size_t kMaxTableBlocks = 256;
  return std::clamp<std::size_t>(elements / kElementsOfTable, 1, kMaxTableBlocks);
}

static_assert(DeviceQueue::kAlignment % TS_VECTOR_BYTES == 0);

}  // namespace tessera::device::gpu
