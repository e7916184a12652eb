// Waits for a device that is still held by a process that has ended.
#pragma once

#include <chrono>
#include <thread>

#include "device/device_error.hpp"

namespace tessera::device::process {

/// The driver may need some seconds to free the memory of a killed process, and its exclusive use.
struct BusyPause {
  int attempts = 20;
  std::chrono::milliseconds pause{500};
};

/// Returns open(), repeated with pauses while it throws DeviceBusyError. Throws the last one.
template <class Open>
auto retry_while_busy(const Open& open, const BusyPause& busy = {}) {
  for (int attempt = 1;; ++attempt) {
    try {
      return open();
    } catch (const DeviceBusyError&) {
      if (attempt == busy.attempts) throw;
    }
    std::this_thread::sleep_for(busy.pause);
  }
}

}  // namespace tessera::device::process
