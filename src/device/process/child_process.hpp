// A program started beside this one, whose end, however it comes, is known at once. It never
// outlives this process.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/process/channel.hpp"

namespace tessera::device::process {

/// What a child of the same executable is started from.
inline constexpr const char* kThisProgram = "/proc/self/exe";

/// The descriptor under which the program finds its end of the line.
inline constexpr int kLineDescriptor = 3;

class ChildProcess {
 public:
  /// Starts `program` with `line` as descriptor kLineDescriptor, its stdout where this process has
  /// its stderr, an empty stdin, the signals blocked that ask a run to stop, and an environment by
  /// which no MPI takes it for a rank. Nothing is forked without exec, so MPI may be running.
  /// Throws DeviceError.
  ChildProcess(const std::string& program, std::vector<std::string> arguments, Channel line);
  /// Gives it a moment to leave by itself, since its lines are closed, and then kills it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const;
  /// False if it has ended.
  bool signal(int number) const;
  /// How it ended: "was ended by SIGSEGV (Segmentation fault)", "left with exit code 3". Waits for
  /// that for some seconds; "" if it goes on.
  std::string end() const;
  /// It has done all that was wanted of it and is leaving: nobody waits for that.
  void let_go() { keeper_.detach(); }

 private:
  struct State;
  bool wait_for_end(double seconds) const;

  std::shared_ptr<State> state_;
  std::thread keeper_;
};

/// In words, from what waitpid() says.
std::string describe_end(int status);

/// The environment of this process without what launchers of MPI put there.
std::vector<std::string> environment_of_child();

/// For the program itself, first thing: closes what it has inherited beyond the line, and has the
/// kernel end it when the process `parent`, which started it, ends.
void settle_as_child(int parent);

}  // namespace tessera::device::process
