#include "device/process/faults.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/fault.hpp"

namespace tessera::device::process {

void inject_faults(Connection& line) {
  if (base::fault("device.process.crash")) line.queue_command(Command::fail, Fault::crash);
  if (base::fault("device.process.abort")) line.queue_command(Command::fail, Fault::abort);
  if (base::fault("device.process.leave")) line.queue_command(Command::fail, Fault::leave);
  if (base::fault("device.process.hang")) line.queue_command(Command::fail, Fault::hang);
  if (base::fault("device.process.context")) line.queue_command(Command::fail, Fault::context);
}

std::optional<Fault> fault_of_opening() {
  if (base::fault("device.open.busy")) return Fault::busy;
  return std::nullopt;
}

void fail(Fault fault) {
  switch (fault) {
    case Fault::crash: {
      volatile int* volatile nowhere = nullptr;
      *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference): intended
      return;
    }
    case Fault::abort:
      std::abort();
    case Fault::leave:
      std::_Exit(3);
    case Fault::hang:
      for (;;) ::pause();
    case Fault::context:
      throw ContextLostError("a fault point says that the context is lost");
    case Fault::busy:
      throw DeviceBusyError("a fault point says that the device is busy");
  }
}

}  // namespace tessera::device::process
