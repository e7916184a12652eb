// Stream on the queue of a backend: what does not depend on the backend.
#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include "device/gpu/pixels/deep_tables.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// `Queue` is as for ArrayStreamOn; its memory holds pixels. It also has
///   try_make_shared(bytes)        memory for all streams of the device; empty if there is too
///                                 little
/// What is left to a class derived from this one: launch().
template <class Queue>
class PixelStreamOn : public Queue {
 public:
  using Memory = typename Queue::Memory;

  void clear(std::size_t bytes) override { this->set_to_zero(this->memory(), 0, bytes); }
  void begin_stats() override { this->write(stats_, 0, no_pixels_->bytes()); }
  BandStats read_stats() override {
    this->read(stats_, 0, read_slots_->bytes());
    this->wait();
    deep_.launched();
    StatsSlots slots;
    std::memcpy(slots.data(), read_slots_->bytes().data(), sizeof(slots));
    return joined(slots);
  }
  void copy_out(std::size_t from, std::span<std::byte> to) override {
    this->read(this->memory(), from, to);
  }
  void copy_in(std::span<const std::byte> from, std::size_t to) override {
    this->write(this->memory(), to, from);
  }
  bool use_deep(std::uint64_t number, std::uint32_t table) override {
    return deep_.use(number, table);
  }
  bool make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                 std::size_t bytes) override {
    prepare_deep(table);
    deep_.drop(table);
    Memory memory = this->try_make_shared(bytes);
    if (memory.get() == nullptr) return false;
    deep_.make(table, image, std::move(memory));
    return true;
  }
  void copy_deep(std::span<const std::byte> from, std::size_t at_byte) override {
    this->write(deep_.being_made(), at_byte, from);
  }
  void share_deep(std::uint64_t number) override { deep_.share(number); }

 protected:
  /// `tables`: those of the device. `arguments`: the first ones of Queue.
  template <class... Arguments>
  explicit PixelStreamOn(std::shared_ptr<DeepTables<Memory>> tables, const Arguments&... arguments)
      : Queue(arguments..., 0, sizeof(StatsSlots)),
        tables_(std::move(tables)),
        stats_(this->make_memory(sizeof(StatsSlots))),
        no_pixels_(this->make_host_buffer(sizeof(StatsSlots))),
        read_slots_(this->make_host_buffer(sizeof(StatsSlots))) {
    StatsSlots empty;
    empty.fill(kNoPixels);
    std::memcpy(no_pixels_->bytes().data(), empty.data(), sizeof(empty));
  }

  /// Before a table is made: what takes seconds.
  virtual void prepare_deep(std::uint32_t /*table*/) {}
  /// TS_STATS_SLOTS slots.
  const Memory& stats() const { return stats_; }
  /// For a launch; valid until read_stats().
  const DeepTable<Memory>& table(std::uint32_t number) { return deep_.table(number); }

 private:
  std::shared_ptr<DeepTables<Memory>> tables_;
  DeepTableUser<Memory> deep_{*tables_};
  Memory stats_;
  std::unique_ptr<HostBuffer> no_pixels_;   ///< source of begin_stats()
  std::unique_ptr<HostBuffer> read_slots_;  ///< destination of read_stats()
};

}  // namespace tessera::device::gpu
