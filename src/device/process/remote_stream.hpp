// gpu::Stream in the device's process.
#pragma once

#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/process/bounce_buffer.hpp"
#include "device/process/remote_queue.hpp"

namespace tessera::device::process {

class RemoteStream : public RemoteQueue<gpu::Stream> {
 public:
  explicit RemoteStream(std::shared_ptr<Supervisor> supervisor);

  void clear(std::size_t bytes) override { connection().queue<&gpu::Stream::clear>(bytes); }
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::BandStats read_stats() override;
  gpu::CutRun launch_cut(const gpu::CutRun& run) override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;
  void copy_in(std::span<const std::byte> from, std::size_t to) override;
  bool use_deep(std::uint64_t number, std::uint32_t table) override;
  bool make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                 std::size_t bytes) override;
  void copy_deep(std::span<const std::byte> from, std::size_t at_byte) override;
  void share_deep(std::uint64_t number) override;
  void wait() override;
  bool revive() override;

 private:
  /// Notes the speed of launches that ended with these statistics.
  void learn(const gpu::BandStats& stats, double elapsed_s);

  BounceBuffer bounce_buffer_;  ///< for pixels whose destination is not shared memory
  double known_steps_ = 0;      ///< steps executed since begin_stats(), as of the last read_stats()
};

}  // namespace tessera::device::process
