// gpu::Stream in the device's process.
#pragma once

#include <vector>

#include "device/gpu/stream.hpp"
#include "device/process/bounce.hpp"
#include "device/process/line.hpp"

namespace tessera::device::process {

class RemoteStream : public gpu::Stream {
 public:
  explicit RemoteStream(std::shared_ptr<Supervisor> supervisor);

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override;
  void clear(std::size_t bytes) override { line_.tell(Command::clear, bytes); }
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;
  void wait() override;
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return line_.make_buffer(bytes);
  }
  bool revive() override;

 private:
  Line line_;
  Bounce bounce_;  ///< for pixels that are wanted in memory which is not shared
  std::size_t capacity_;
  double launched_steps_ = 0;  ///< at most, since the last answer
  double known_steps_ = 0;     ///< really carried out since begin_stats(), as last read
};

}  // namespace tessera::device::process
