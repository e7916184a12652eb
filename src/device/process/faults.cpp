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
  }
}

}  // namespace tessera::device::process
