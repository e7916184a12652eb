#include "device/process/device_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/read_number.hpp"
#include "base/run.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/process/child_process.hpp"
#include "device/process/commands.hpp"
#include "device/process/driver_process.hpp"
#include "device/process/faults.hpp"
#include "device/process/nvml_meter.hpp"
#include "device/process/stream_server.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

/// In a thread of its own, as a call of the library may take long or never return.
void serve_meter(const std::string& pci, Channel& line) {
  NvmlMeter meter(pci);
  for (Message request; line.receive(request, Channel::kForEver) == Outcome::done;) {
    if (line.send(base::to_bytes(meter.read()), Channel::kForEver) != Outcome::done) return;
  }
}

void serve_line(const gpu::GpuDevice& device, ConnectionKind kind, Channel line) {
  switch (kind) {
    case ConnectionKind::pixels:
      return serve_pixels([&] { return device.open_stream(); }, line);
    case ConnectionKind::arrays:
      return serve_arrays([&] { return device.open_array_stream(); }, line);
    case ConnectionKind::meter:
      return serve_meter(device.info().pci, line);
  }
}

/// Lists devices and opens one of them.
class Driver {
 public:
  explicit Driver(const BackendTable& table) : table_(table) {
    const auto now = base::Clock::now();
    opening_.push_back({OpeningPart::process, now, now});  // the rank knows when it began
  }

  base::Bytes list(base::ByteReader in) {
    const auto name = in.get<std::string>();
    const auto placement = in.get<Placement>();
    if (const auto fault = in.get<std::optional<Fault>>()) fail(*fault);
    const Backend& backend = start(name);
    return base::to_bytes(
        Answer::done, timed(opening_, OpeningPart::list, [&] { return backend.list(placement); }));
  }

  base::Bytes open(base::ByteReader in) {
    const auto name = in.get<std::string>();
    const auto placement = in.get<Placement>();
    if (const auto fault = in.get<std::optional<Fault>>()) fail(*fault);
    start(name.substr(0, name.find(':')));
    device_ = table_.open_gpu(name, placement);
    std::ranges::copy(device_->opening(), std::back_inserter(opening_));
    return base::to_bytes(Answer::done, device_->info(), device_->lanes(), opening_);
  }

  /// Starts a thread for a connection.
  void connect(ConnectionKind kind, Descriptor descriptor) const {
    base::run_thread([&device = *device_, kind, line = Channel(std::move(descriptor))]() mutable {
      serve_line(device, kind, std::move(line));
    }).detach();
  }

 private:
  /// The driver's first call takes most of the time of a list.
  const Backend& start(const std::string& name) {
    const auto backend = std::ranges::find(table_.backends, name, &Backend::name);
    if (backend == table_.backends.end()) throw base::run_error("{}: no such backend", name);
    if (backend->start_driver != nullptr && started_.insert(name).second) {
      timed(opening_, OpeningPart::driver, backend->start_driver);
    }
    return *backend;
  }

  BackendTable table_;
  Opening opening_;
  std::set<std::string> started_;  ///< names of backends
  std::unique_ptr<gpu::GpuDevice> device_;
};

}  // namespace

bool is_serve_call(int argc, const char* const* argv) {
  return argc == 4 && std::string_view(argv[1]) == kServeCommand;
}

/// Exits without destructors: the drivers' threads may still be running, and the kernel frees
/// everything.
void serve(const char* const* argv, const BackendTable& table) {
  Driver& driver = *new Driver(table);
  settle_as_child(base::read_integer<int>(argv[3]).value_or(0));
  Channel control{Descriptor(kLineDescriptor)};
  for (Message request; control.receive(request, Channel::kForEver) == Outcome::done;) {
    base::ByteReader in(request.body);
    const auto what = in.get<Request>();
    if (what == Request::connect) {
      driver.connect(in.get<ConnectionKind>(), std::move(request.descriptor));
      request.descriptor = Descriptor();
      continue;
    }
    const base::Bytes answer =
        answer_of([&] { return what == Request::list ? driver.list(in) : driver.open(in); });
    if (control.send(answer, Channel::kForEver) != Outcome::done) break;
  }
  std::_Exit(0);
}

}  // namespace tessera::device::process
