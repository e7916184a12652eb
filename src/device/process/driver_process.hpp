// A process that lists devices and drives one of them, as the rank that started it sees it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "device/process/channel.hpp"
#include "device/process/child_process.hpp"

namespace tessera::device::process {

/// First argument of the process. It is not shown in the program's help.
inline constexpr std::string_view kServeCommand = "device-process";

class DriverProcess {
 public:
  /// Starts the program of this thread's run. `devices`: what it is for, as `ps` shows it. When
  /// `stop` is requested, it is killed, and whoever waits for its answers goes on. Throws
  /// DeviceError.
  explicit DriverProcess(const std::string& devices, const std::stop_token& stop = {});
  ~DriverProcess();
  DriverProcess(const DriverProcess&) = delete;
  DriverProcess& operator=(const DriverProcess&) = delete;

  base::Clock::time_point started() const { return started_; }
  ChildProcess& child() { return child_; }
  Channel& control() { return control_; }
  /// It is about to open a device, so that the destructor waits for its end: only then is the
  /// device free.
  void will_drive() { drives_ = true; }
  /// Sends a request and waits for the answer.
  Channel::Outcome ask(const base::Bytes& request, Message& answer, double within_s);

 private:
  DriverProcess(const std::string& devices, const std::stop_token& stop,
                std::pair<Channel, Channel> ends);

  base::Clock::time_point started_ = base::Clock::now();
  std::stop_token stop_;
  bool drives_ = false;
  ChildProcess child_;
  Channel control_;  ///< the child leaves when it is closed
  std::stop_callback<std::function<void()>> end_;
};

}  // namespace tessera::device::process
