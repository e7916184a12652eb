// ArrayStream on the queue of a backend: what does not depend on the backend.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "device/gpu/arrays/stream/array_stream.hpp"

namespace tessera::device::gpu {

/// `Queue` implements DeviceQueue, and has
///   Memory                        owns memory of the device; empty unless made
///   memory()                      that of the elements
///   make_memory(bytes)            makes such memory, set to 0; throws DeviceError
///   write(memory, at_byte, bytes), read(memory, at_byte, bytes), set_to_zero(memory, at_byte,
///   bytes): return at once.
/// The functions left to a class derived from this one: map() and start().
template <class Queue>
class ArrayStreamOn : public Queue {
 public:
  using Memory = typename Queue::Memory;

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    this->write(this->memory(), at_byte, elements);
  }
  void clear(std::size_t at_byte, std::size_t bytes) override {
    this->set_to_zero(this->memory(), at_byte, bytes);
  }
  void copy_out(std::size_t at_byte, std::span<std::byte> elements) override {
    this->read(this->memory(), at_byte, elements);
    this->wait();
  }
  void set_bins(std::span<const double> edges, std::size_t outputs) override {
    bins_ = {};
    bin_count_ = (edges.size() - 1) * outputs;
    set_table(edges_, std::as_bytes(edges));
    bins_ = this->make_memory(bin_count_ * sizeof(kernels::TS_U64));
  }
  void set_logarithms(std::span<const kernels::TS_U64> words) override {
    set_table(logarithms_, std::as_bytes(words));
  }
  void set_cells(std::size_t cells, std::size_t limbs) override {
    spill_words_ = std::max<std::size_t>(1, limbs);
    records_ = {};
    spill_ = {};
    records_ = this->make_memory(cells * sizeof(Record));
    spill_ = this->make_memory(spill_words_ * sizeof(kernels::TS_U64));
  }
  void launch(kernels::ArrayKernel kernel, std::size_t blocks,
              std::span<const kernels::TS_U64> arguments) override {
    const kernels::Blocks most = kernels::row_of(kernel).blocks;
    if (most == kernels::Blocks::filling) blocks = std::min(blocks, max_blocks_);
    if (most == kernels::Blocks::resident) blocks = std::min(blocks, blocks_at_once(kernel));
    if (most == kernels::Blocks::resident) blocks_ = blocks;
    const bool product = kernel == kernels::ArrayKernel::product;
    start(kernel, blocks, arguments,
          {&this->memory(), &records_, &spill_, product ? &logarithms_ : &edges_, &bins_});
  }
  std::span<const Record> read_records() override { return read_cells(blocks_); }
  std::span<const Record> read_cells(std::size_t count) override {
    const std::span<std::byte> to = room_in(read_records_, count * sizeof(Record));
    this->read(records_, 0, to);
    this->wait();
    return {reinterpret_cast<const Record*>(to.data()), count};
  }
  std::span<const kernels::TS_U64> read_spill() override {
    return read_and_clear(spill_, spill_words_, read_spill_);
  }
  std::span<const kernels::TS_U64> read_bins() override {
    return read_and_clear(bins_, bin_count_, read_bins_);
  }

 protected:
  /// In the order of kernels/gpu/array_kernels.h.
  using MemoryArguments = std::array<const Memory*, 5>;

  /// `max_blocks`: how many blocks the device can run at once. `more_bytes`: what a derived class
  /// allocates when it is constructed. `arguments`: the first ones of Queue.
  template <class... Arguments>
  ArrayStreamOn(std::size_t max_blocks, std::size_t more_bytes, const Arguments&... arguments)
      // Elements are read in vectors, so the last vector may reach beyond the capacity.
      : Queue(arguments..., TS_VECTOR_BYTES,
              max_blocks * sizeof(Record) + kResidualBytes + more_bytes),
        max_blocks_(max_blocks),
        // A kernel writes only those parts of its records that are requested; all are copied.
        records_(this->make_memory(max_blocks * sizeof(Record))),
        spill_(this->make_memory(kResidualBytes)) {}

  std::size_t max_blocks() const { return max_blocks_; }
  /// Blocks of this kernel. All have the same amount of work, and a second wave would not fill the
  /// device.
  virtual std::size_t blocks_at_once(kernels::ArrayKernel) const { return max_blocks_; }
  /// Returns at once. Launches so many blocks of TS_REDUCE_BLOCK threads. Memory that a kernel does
  /// not use may be empty.
  virtual void start(kernels::ArrayKernel kernel, std::size_t blocks,
                     std::span<const kernels::TS_U64> arguments, const MemoryArguments& memory) = 0;

 private:
  static constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;
  static constexpr std::size_t kResidualBytes = kResidualWords * sizeof(kernels::TS_U64);

  void set_table(Memory& table, std::span<const std::byte> bytes) {
    table = {};
    table = this->make_memory(bytes.size());
    this->write(table, 0, bytes);
    this->wait();
  }
  /// The first `bytes` bytes of `buffer`, which is allocated the first time that it is needed.
  std::span<std::byte> room_in(std::unique_ptr<HostBuffer>& buffer, std::size_t bytes) {
    if (!buffer || buffer->bytes().size() < bytes) {
      buffer.reset();
      buffer = this->make_host_buffer(bytes);
    }
    return buffer->bytes().first(bytes);
  }
  std::span<const kernels::TS_U64> read_and_clear(const Memory& memory, std::size_t words,
                                                  std::unique_ptr<HostBuffer>& buffer) {
    const std::span<std::byte> to = room_in(buffer, words * sizeof(kernels::TS_U64));
    this->read(memory, 0, to);
    this->set_to_zero(memory, 0, to.size());
    this->wait();
    return {reinterpret_cast<const kernels::TS_U64*>(to.data()), words};
  }

  std::size_t max_blocks_;
  std::size_t blocks_ = 0;  ///< blocks of the last reduction
  Memory records_, spill_, edges_, bins_, logarithms_;
  std::size_t spill_words_ = kResidualWords;
  std::size_t bin_count_ = 0;
  std::unique_ptr<HostBuffer> read_records_, read_spill_, read_bins_;  ///< destinations
};

}  // namespace tessera::device::gpu
