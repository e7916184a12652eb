#include "device/process/device_process.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "base/read_number.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/process/child_process.hpp"
#include "device/process/commands.hpp"
#include "device/process/faults.hpp"
#include "device/process/isolated_listing.hpp"
#include "device/process/stream_server.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

/// Opens the device that the rank requests. If that fails, sends the error to the rank and returns
/// null.
std::unique_ptr<gpu::GpuDevice> open_device(Channel& control, const BackendTable& table) {
  Message request;
  if (control.receive(request, Channel::kForEver) != Outcome::done) return nullptr;
  std::unique_ptr<gpu::GpuDevice> device;
  const base::Bytes answer = answer_of([&] {
    base::ByteReader in(request.body);
    const auto name = in.get<std::string>();
    const auto placement = in.get<Placement>();
    if (const auto fault = in.get<std::optional<Fault>>()) fail(*fault);
    device = table.open_gpu(name, placement);
    return base::to_bytes(Answer::done, device->info(), device->lanes());
  });
  control.send(answer, Channel::kForEver);
  return device;
}

void serve_line(const gpu::GpuDevice& device, ConnectionKind kind, Channel line) {
  if (kind == ConnectionKind::pixels) {
    serve_pixels([&] { return device.open_stream(); }, line);
  } else {
    serve_arrays([&] { return device.open_array_stream(); }, line);
  }
}

}  // namespace

bool is_serve_call(int argc, const char* const* argv) {
  return argc == 4 && std::string_view(argv[1]) == kServeCommand;
}

/// Exits without destructors: the drivers' threads may still be running, and the kernel frees
/// everything.
void serve(const char* const* argv, const BackendTable& table) {
  settle_as_child(base::read_integer<int>(argv[3]).value_or(0));
  Channel control{Descriptor(kLineDescriptor)};
  if (argv[2] == kListing) {
    serve_listing(control, table.backends);
  } else if (const auto device = open_device(control, table)) {
    for (Message request; control.receive(request, Channel::kForEver) == Outcome::done;) {
      const auto kind = base::ByteReader(request.body).get<ConnectionKind>();
      std::thread([&device = *device, kind,
                   line = Channel(std::move(request.descriptor))]() mutable {
        serve_line(device, kind, std::move(line));
      }).detach();
      request.descriptor = Descriptor();
    }
  }
  std::_Exit(0);
}

}  // namespace tessera::device::process
