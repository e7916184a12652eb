// The meter of a GPU in the device's process.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "device/process/supervisor.hpp"

namespace tessera::device::process {

/// A process that has been started again is asked as the one before it. A library that is silent
/// is asked no more, which does not disturb the device.
class RemoteMeter : public base::Meter {
 public:
  explicit RemoteMeter(std::shared_ptr<Supervisor> supervisor)
      : supervisor_(std::move(supervisor)) {}

  base::Reading read() override;
  void end() override;

 private:
  bool connect();

  std::shared_ptr<Supervisor> supervisor_;
  std::mutex mutex_;  ///< guards the next members, the use of an open line apart
  std::optional<Channel> line_;
  bool ended_ = false;
};

}  // namespace tessera::device::process
