#include "device/process/remote_array_stream.hpp"

#include "device/process/faults.hpp"

namespace tessera::device::process {

RemoteArrayStream::RemoteArrayStream(std::shared_ptr<Supervisor> supervisor)
    : RemoteQueue(std::move(supervisor), ConnectionKind::arrays) {}

void RemoteArrayStream::copy_in(std::span<const std::byte> elements, std::size_t at_byte) {
  const auto place = connection().find(elements);
  connection().queue(Command::copy_in, place ? *place : shared_copy(elements), at_byte);
}

SharedRegion RemoteArrayStream::shared_copy(std::span<const std::byte> elements) {
  if (copies_in_use_ == copies_.size()) copies_.emplace_back();
  std::unique_ptr<HostBuffer>& copy = copies_[copies_in_use_++];
  if (!copy || copy->bytes().size() < elements.size()) {
    copy.reset();
    copy = connection().make_buffer(elements.size());
  }
  std::memcpy(copy->bytes().data(), elements.data(), elements.size());
  return *connection().find(copy->bytes().first(elements.size()));
}

void RemoteArrayStream::make(const kernels::TsMake& make) {
  use(kernels::ReduceKernel::make);
  connection().queue(Command::make, make);
}

void RemoteArrayStream::set_bins(std::span<const double> edges, std::size_t outputs) {
  ask(Command::set_bins, edges, outputs);
}

void RemoteArrayStream::set_logarithms(std::span<const kernels::TS_U64> words) {
  ask(Command::set_logarithms, words);
}

void RemoteArrayStream::set_cells(std::size_t cells, std::size_t limbs) {
  ask(Command::set_cells, cells, limbs);
}

void RemoteArrayStream::launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
                               std::size_t bytes) {
  inject_faults(connection());
  use(kernel);
  connection().queue(Command::launch_elements, call, kernel, bytes);
}

/// The launch starts at once and overlaps with reading the next pieces.
void RemoteArrayStream::launch_along_axes(const kernels::TsAxis& call) {
  inject_faults(connection());
  use(call.type >= TS_TYPE_F16 ? kernels::ReduceKernel::axis_reals
                               : kernels::ReduceKernel::axis_integers);
  connection().queue(Command::launch_along_axes, call);
  connection().flush(connection().supervisor().compiling_s(used_));
}

void RemoteArrayStream::wait() {
  ask(Command::wait);
}

/// A kernel may have to be compiled in the process the first time that it is used.
void RemoteArrayStream::use(kernels::ReduceKernel kernel) {
  used_.insert(kernel);
}

template <class... Arguments>
base::ByteReader RemoteArrayStream::ask(Command command, const Arguments&... arguments) {
  const double compiling_s = connection().supervisor().compiling_s(used_);
  const base::ByteReader answer = connection().ask_within(compiling_s, command, arguments...);
  if (compiling_s > 0) connection().supervisor().note_compiled(used_);
  used_.clear();
  copies_in_use_ = 0;
  return answer;
}

template <class T>
std::span<const T> RemoteArrayStream::read(base::ByteReader answer, std::vector<T>& into) {
  into.resize(answer.get<std::size_t>());
  const auto bytes = answer.get_bytes(into.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(into.data(), bytes.data(), bytes.size());
  return into;
}

std::span<const gpu::Record> RemoteArrayStream::read_records() {
  return read(ask(Command::read_records), records_);
}

std::span<const gpu::Record> RemoteArrayStream::read_cells(std::size_t count) {
  return read(ask(Command::read_cells, count), records_);
}

std::span<const kernels::TS_U64> RemoteArrayStream::read_spill() {
  return read(ask(Command::read_spill), spill_);
}

std::span<const kernels::TS_U64> RemoteArrayStream::read_bins() {
  return read(ask(Command::read_bins), bins_);
}

}  // namespace tessera::device::process
