#include "device/process/driver_process.hpp"

#include <signal.h>
#include <unistd.h>

#include "base/run.hpp"

namespace tessera::device::process {

DriverProcess::DriverProcess(const std::string& devices, const std::stop_token& stop)
    : DriverProcess(devices, stop, Channel::pair()) {}

DriverProcess::DriverProcess(const std::string& devices, const std::stop_token& stop,
                             std::pair<Channel, Channel> ends)
    : stop_(stop),
      child_(base::this_run().program,
             {"tessera", std::string(kServeCommand), devices, std::to_string(::getpid())},
             std::move(ends.second)),
      control_(std::move(ends.first)),
      end_(stop, [this] {
        child_.signal(SIGKILL);
        control_.shut_down();
      }) {}

/// A driver takes 0.1 s or more to end. Nobody waits for a process that was not needed.
DriverProcess::~DriverProcess() {
  if (stop_.stop_requested() || !drives_) child_.let_go();
}

Channel::Outcome DriverProcess::ask(const base::Bytes& request, Message& answer, double within_s) {
  const auto sent = control_.send(request, within_s);
  return sent == Channel::Outcome::done ? control_.receive(answer, within_s) : sent;
}

}  // namespace tessera::device::process
