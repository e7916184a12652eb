#include "device/process/remote_stream.hpp"

#include "base/clock.hpp"
#include "device/process/faults.hpp"

namespace tessera::device::process {

RemoteStream::RemoteStream(std::shared_ptr<Supervisor> supervisor)
    : RemoteQueue(std::move(supervisor), ConnectionKind::pixels), bounce_buffer_(connection()) {}

void RemoteStream::begin_stats() {
  connection().queue<&gpu::Stream::begin_stats>();
  known_steps_ = 0;
}

void RemoteStream::launch(const gpu::Tile& tile) {
  inject_faults(connection());
  connection().queue<&gpu::Stream::launch>(tile);
  connection().supervisor().response_timeout().launched(kernels::max_steps(tile));
}

gpu::BandStats RemoteStream::read_stats() {
  const auto start = base::Clock::now();
  const auto stats = connection().ask<&gpu::Stream::read_stats>().get<gpu::BandStats>();
  learn(stats, base::seconds_between(start, base::Clock::now()));
  return stats;
}

gpu::CutRun RemoteStream::launch_cut(const gpu::CutRun& run) {
  inject_faults(connection());
  gpu::Tile tile = run.tile;
  tile.cut = run.speeds.cut(kernels::orbits_of(tile));
  connection().supervisor().response_timeout().launched(kernels::max_steps(tile));
  const auto start = base::Clock::now();
  const auto next = connection().ask<&gpu::Stream::launch_cut_for_a_while>(run).get<gpu::CutRun>();
  learn(next.stats, base::seconds_between(start, base::Clock::now()));
  return next;
}

void RemoteStream::learn(const gpu::BandStats& stats, double elapsed_s) {
  const auto steps = static_cast<double>(stats.executed);
  connection().supervisor().response_timeout().learn(steps - known_steps_, elapsed_s);
  known_steps_ = steps;
}

void RemoteStream::copy_out(std::size_t from, std::span<std::byte> to) {
  auto place = connection().find(to);
  if (!place) {
    if (!bounce_buffer_.has_room(to.size())) wait();
    place = connection().find(bounce_buffer_.take(to));
  }
  connection().queue<&gpu::Stream::copy_out>(from, *place);
}

/// `from` lies in a buffer of this stream.
void RemoteStream::copy_in(std::span<const std::byte> from, std::size_t to) {
  connection().queue<&gpu::Stream::copy_in>(connection().find(from).value(), to);
}

bool RemoteStream::use_deep(std::uint64_t number, std::uint32_t table) {
  return connection().ask<&gpu::Stream::use_deep>(number, table).get<bool>();
}

/// The process may have to compile the kernel first.
bool RemoteStream::make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                             std::size_t bytes) {
  return connection()
      .ask_within<&gpu::Stream::make_deep>(Supervisor::kOpeningSeconds, table, image, bytes)
      .get<bool>();
}

/// `from` lies in a buffer of this stream.
void RemoteStream::copy_deep(std::span<const std::byte> from, std::size_t at_byte) {
  connection().queue<&gpu::Stream::copy_deep>(connection().find(from).value(), at_byte);
}

void RemoteStream::share_deep(std::uint64_t number) {
  connection().ask<&gpu::Stream::share_deep>(number);
}

void RemoteStream::wait() {
  connection().ask<&gpu::DeviceQueue::wait>();
  bounce_buffer_.deliver();
}

bool RemoteStream::revive() {
  bounce_buffer_.forget();
  return revive_line();
}

}  // namespace tessera::device::process
