// The parts that reducers and the mapper on a GPU share: elements are put into the memory of their
// stream.
#pragma once

#include <algorithm>
#include <cstddef>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/gpu/arrays/stream/launch_arguments.hpp"
#include "device/gpu/queue/on_queue.hpp"
#include "device/kernel_fault.hpp"

namespace tessera::device::gpu {

/// Implements parts of `Interface`, a reducer or a mapper.
template <class Interface>
class ReducerOnQueue : public OnQueue<Interface, ArrayStream> {
 public:
  using OnQueue<Interface, ArrayStream>::OnQueue;
  bool generates(const job::ArrayInput& input) const override { return input.is_generated(); }
  bool evaluates() const override { return true; }
  bool restart() override {
    if (!this->stream_->revive()) return false;
    this->no_room_for_bytes_ = 0;
    prepare_stream();
    return true;
  }

  /// Limit for the elements that are on the device at once: enough to hide the latency of launches
  /// and copies.
  // crossed by: reduction_parity_test.of_more_than_a_launch,
  // pair_parity_test.of_more_than_a_launch, of_a_piece_of_more_than_a_launch
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

 protected:
  /// The stream is as it was when it was opened.
  virtual void prepare_stream() = 0;
  /// Grows the memory towards `requested`, which is at most elements_end_. Returns the bytes
  /// available for a launch, at most elements_end_. Throws DeviceError if a fault point makes
  /// kernels fail.
  std::size_t reach(std::size_t requested) {
    fail_if_ordered("device.kernel.gpu");
    this->grow_towards(requested);
    return std::min(this->stream_->capacity(), elements_end_);
  }
  /// Elements of that kind per launch, at most `elements`, so that they, what an expression loads
  /// and `gaps` bytes fit. `bytes_each`: of an element of each array that is reduced.
  std::int64_t elements_at_once(const statistics::Elements& of, std::int64_t elements,
                                std::int64_t bytes_each, std::size_t gaps = 0) {
    if (of.mapped) {
      gaps += (of.mapped->arrays.size() + 2) * TS_VECTOR_BYTES;
      for (const auto& array : of.mapped->arrays) bytes_each += array.bytes_each();
    }
    bytes_each = std::max<std::int64_t>(1, bytes_each);
    const std::int64_t most = static_cast<std::int64_t>(elements_end_ - gaps) / bytes_each;
    const auto requested = static_cast<std::size_t>(std::min(elements, most) * bytes_each);
    return static_cast<std::int64_t>(reach(requested + gaps) - gaps) / bytes_each;
  }
  /// Copies, generates or evaluates the elements, from byte `at_byte` of the memory on. What an
  /// expression loads is put behind byte `end_byte`. Both are multiples of TS_VECTOR_BYTES.
  void put_elements(const statistics::Elements& elements, base::ElementType type,
                    std::size_t at_byte, std::size_t end_byte) {
    if (elements.generated) {
      make(*elements.generated, at_byte);
    } else if (elements.mapped) {
      put_evaluated(*elements.mapped, type, at_byte, end_byte);
    } else {
      this->stream_->copy_in(elements.read, at_byte);
    }
  }

  /// The memory that a reducer keeps begins here.
  std::size_t elements_end_ = kMaxBytes;

 private:
  void make(const statistics::GeneratedElements& elements, std::size_t at_byte) {
    const kernels::TsMake call = make_of(elements, at_byte);
    this->stream_->enqueue(kernels::ArrayKernel::make,
                           blocks_of_bytes(call.count * call.element_bytes), call);
  }
  void put_evaluated(const statistics::MappedElements& elements, base::ElementType type,
                     std::size_t at_byte, std::size_t end_byte) {
    kernels::TsMap call = map_of(elements, type, at_byte, end_byte);
    for (std::size_t i = 0; i < elements.arrays.size(); ++i) {
      const statistics::MappedArray& array = elements.arrays[i];
      if (array.kind == statistics::MappedArray::Kind::read) {
        this->stream_->copy_in(array.read, call.arrays[i]);
      } else if (array.kind == statistics::MappedArray::Kind::generated) {
        make({*array.generated, array.first, elements.count}, call.arrays[i]);
      }
    }
    this->stream_->map(call, elements.steps);
  }
};

}  // namespace tessera::device::gpu
