#include "device/process/remote_array_stream.hpp"

#include "device/process/faults.hpp"

namespace tessera::device::process {

RemoteArrayStream::RemoteArrayStream(std::shared_ptr<Supervisor> supervisor)
    : RemoteQueue(std::move(supervisor), ConnectionKind::arrays) {}

void RemoteArrayStream::copy_in(std::span<const std::byte> elements, std::size_t at_byte) {
  const auto place = connection().find(elements);
  connection().queue<&gpu::ArrayStream::copy_in>(place ? *place : shared_copy(elements), at_byte);
}

SharedRegion RemoteArrayStream::shared_copy(std::span<const std::byte> elements) {
  const std::span<std::byte> copy = shared_room(elements.size());
  std::memcpy(copy.data(), elements.data(), elements.size());
  return *connection().find(copy);
}

std::span<std::byte> RemoteArrayStream::shared_room(std::size_t bytes) {
  if (copies_in_use_ == copies_.size()) copies_.emplace_back();
  std::unique_ptr<HostBuffer>& copy = copies_[copies_in_use_++];
  if (!copy || copy->bytes().size() < bytes) {
    copy.reset();
    copy = connection().make_buffer(bytes);
  }
  return copy->bytes().first(bytes);
}

void RemoteArrayStream::copy_out(std::size_t at_byte, std::span<std::byte> elements) {
  const auto place = connection().find(elements);
  if (place) {
    ask<&gpu::ArrayStream::copy_out>(at_byte, *place);
    return;
  }
  const std::span<std::byte> room = shared_room(elements.size());
  ask<&gpu::ArrayStream::copy_out>(at_byte, *connection().find(room));
  std::memcpy(elements.data(), room.data(), room.size());
}

void RemoteArrayStream::clear(std::size_t at_byte, std::size_t bytes) {
  connection().queue<&gpu::ArrayStream::clear>(at_byte, bytes);
}

void RemoteArrayStream::map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) {
  used_.insert(number_of(steps));
  connection().queue<&gpu::ArrayStream::map>(call, steps);
}

void RemoteArrayStream::set_bins(std::span<const double> edges, std::size_t outputs) {
  ask<&gpu::ArrayStream::set_bins>(edges, outputs);
}

void RemoteArrayStream::set_logarithms(std::span<const kernels::TS_U64> words) {
  ask<&gpu::ArrayStream::set_logarithms>(words);
}

void RemoteArrayStream::set_cells(std::size_t cells, std::size_t limbs) {
  ask<&gpu::ArrayStream::set_cells>(cells, limbs);
}

/// A kernel may have to be compiled in the process the first time that it is used.
void RemoteArrayStream::launch(kernels::ArrayKernel kernel, std::size_t blocks,
                               std::span<const kernels::TS_U64> arguments) {
  inject_faults(connection());
  used_.insert(number_of(kernel));
  connection().queue<&gpu::ArrayStream::launch>(kernel, blocks, arguments);
}

void RemoteArrayStream::flush() {
  connection().flush(connection().supervisor().compiling_s(used_));
}

void RemoteArrayStream::wait() {
  ask<&gpu::DeviceQueue::wait>();
}

bool RemoteArrayStream::revive() {
  used_.clear();
  copies_in_use_ = 0;
  return revive_line();
}

template <auto kCall, class... Arguments>
base::ByteReader RemoteArrayStream::ask(const Arguments&... arguments) {
  const double compiling_s = connection().supervisor().compiling_s(used_);
  const base::ByteReader answer = connection().ask_within<kCall>(compiling_s, arguments...);
  if (compiling_s > 0) connection().supervisor().note_compiled(used_);
  used_.clear();
  copies_in_use_ = 0;
  return answer;
}

std::span<const gpu::Record> RemoteArrayStream::read_records() {
  ask<&gpu::ArrayStream::read_records>().read(records_);
  return records_;
}

std::span<const gpu::Record> RemoteArrayStream::read_cells(std::size_t count) {
  ask<&gpu::ArrayStream::read_cells>(count).read(records_);
  return records_;
}

std::span<const kernels::TS_U64> RemoteArrayStream::read_spill() {
  ask<&gpu::ArrayStream::read_spill>().read(spill_);
  return spill_;
}

std::span<const kernels::TS_U64> RemoteArrayStream::read_bins() {
  ask<&gpu::ArrayStream::read_bins>().read(bins_);
  return bins_;
}

}  // namespace tessera::device::process
