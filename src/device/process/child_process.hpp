// A child process whose end is detected at once, however it comes. It never outlives this process.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/process/channel.hpp"

namespace tessera::device::process {

/// The descriptor number of the child's end of the connection.
inline constexpr int kLineDescriptor = 3;

class ChildProcess {
 public:
  /// Starts `program`. `line` becomes descriptor kLineDescriptor, stdout goes to the stderr of this
  /// process, stdin is empty. Signals that ask a run to stop are blocked. The environment has no
  /// variables by which an MPI library would take the child for a rank. There is no fork without
  /// exec, so MPI may be running. Throws DeviceError.
  ChildProcess(const std::string& program, std::vector<std::string> arguments, Channel line);
  /// Waits a moment for the child to leave by itself, since its connections are closed, then kills
  /// it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const;
  /// Sends a signal. False if the child has ended.
  bool signal(int number) const;
  /// How the child ended: "was ended by SIGSEGV (Segmentation fault)", "left with exit code 3".
  /// Waits some seconds for the end; "" if the child is still running.
  std::string end() const;
  /// The child has finished its work and is leaving: the destructor need not wait for it.
  void let_go();

 private:
  struct State;
  bool wait_for_end(double seconds) const;

  std::shared_ptr<State> state_;
  std::thread keeper_;
};

/// The status of waitpid() in words.
std::string describe_end(int status);

/// The environment of this process without the variables of MPI launchers.
std::vector<std::string> environment_of_child();

/// Called first by the child. Closes all inherited descriptors except the connection, and asks the
/// kernel to kill the child when its parent process `parent` ends.
void settle_as_child(int parent);

}  // namespace tessera::device::process
