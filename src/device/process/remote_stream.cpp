#include "device/process/remote_stream.hpp"

#include "base/clock.hpp"
#include "device/process/bounce_buffer.hpp"
#include "device/process/faults.hpp"
#include "device/process/remote_queue.hpp"

namespace tessera::device::process {
namespace {

class RemoteStream : public RemoteQueue<gpu::Stream> {
 public:
  explicit RemoteStream(std::shared_ptr<Supervisor> supervisor)
      : RemoteQueue(std::move(supervisor), ConnectionKind::pixels), bounce_buffer_(connection()) {}

  void clear(std::size_t bytes) override { connection().queue<&gpu::Stream::clear>(bytes); }
  void begin_stats() override {
    connection().queue<&gpu::Stream::begin_stats>();
    known_steps_ = 0;
  }
  void launch(const gpu::Tile& tile) override {
    inject_faults(connection());
    connection().queue<&gpu::Stream::launch>(tile);
    connection().supervisor().response_timeout().launched(kernels::max_steps(tile));
  }
  gpu::BandStats read_stats() override {
    const auto start = base::Clock::now();
    const auto stats = connection().ask<&gpu::Stream::read_stats>().get<gpu::BandStats>();
    learn(stats, base::seconds_between(start, base::Clock::now()));
    return stats;
  }
  gpu::CutRun launch_cut(const gpu::CutRun& run) override {
    inject_faults(connection());
    gpu::Tile tile = run.tile;
    tile.cut = run.speeds.cut(kernels::orbits_of(tile));
    connection().supervisor().response_timeout().launched(kernels::max_steps(tile));
    const auto start = base::Clock::now();
    const auto next =
        connection().ask<&gpu::Stream::launch_cut_for_a_while>(run).get<gpu::CutRun>();
    learn(next.stats, base::seconds_between(start, base::Clock::now()));
    return next;
  }
  void copy_out(std::size_t from, std::span<std::byte> to) override {
    auto place = connection().find(to);
    if (!place) {
      if (!bounce_buffer_.has_room(to.size())) wait();
      place = connection().find(bounce_buffer_.take(to));
    }
    connection().queue<&gpu::Stream::copy_out>(from, *place);
  }
  /// `from` lies in a buffer of this stream.
  void copy_in(std::span<const std::byte> from, std::size_t to) override {
    connection().queue<&gpu::Stream::copy_in>(connection().find(from).value(), to);
  }
  bool use_deep(std::uint64_t number, std::uint32_t table) override {
    return connection().ask<&gpu::Stream::use_deep>(number, table).get<bool>();
  }
  /// The process may have to compile the kernel first.
  bool make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                 std::size_t bytes) override {
    return connection()
        .ask_within<&gpu::Stream::make_deep>(Supervisor::kOpeningSeconds, table, image, bytes)
        .get<bool>();
  }
  /// `from` lies in a buffer of this stream.
  void copy_deep(std::span<const std::byte> from, std::size_t at_byte) override {
    connection().queue<&gpu::Stream::copy_deep>(connection().find(from).value(), at_byte);
  }
  void share_deep(std::uint64_t number) override {
    connection().ask<&gpu::Stream::share_deep>(number);
  }
  void wait() override {
    connection().ask<&gpu::DeviceQueue::wait>();
    bounce_buffer_.deliver();
  }
  bool revive() override {
    bounce_buffer_.forget();
    return revive_line();
  }

 private:
  /// Notes the speed of launches that ended with these statistics.
  void learn(const gpu::BandStats& stats, double elapsed_s) {
    const auto steps = static_cast<double>(stats.executed);
    connection().supervisor().response_timeout().learn(steps - known_steps_, elapsed_s);
    known_steps_ = steps;
  }

  BounceBuffer bounce_buffer_;  ///< for pixels whose destination is not shared memory
  double known_steps_ = 0;      ///< steps executed since begin_stats(), as of the last read_stats()
};

}  // namespace

std::unique_ptr<gpu::Stream> open_remote_stream(std::shared_ptr<Supervisor> supervisor) {
  return std::make_unique<RemoteStream>(std::move(supervisor));
}

}  // namespace tessera::device::process
