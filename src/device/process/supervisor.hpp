// The process that drives one device for this rank: its start, its end, and one start more.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/bytes.hpp"
#include "device/device.hpp"
#include "device/placement.hpp"
#include "device/process/channel.hpp"
#include "device/process/child_process.hpp"
#include "device/process/commands.hpp"
#include "device/process/response_timeout.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::process {

/// A line to a stream in the device's process.
struct OpenLine {
  Channel channel;
  int process = 0;  ///< number of the process among those that were started, from 1
  std::size_t capacity_bytes = 0;
};

/// Shared by the streams of a device, each in a thread of its own.
class Supervisor {
 public:
  /// Starts the process, which opens the device. Throws what opening it there throws, and
  /// DeviceError when the process ends or is silent at that.
  Supervisor(std::string device, const Placement& placement, const Isolation& isolation);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  const DeviceInfo& info() const { return info_; }
  int lanes() const { return lanes_; }
  ResponseTimeout& response_timeout() { return *response_timeout_; }

  /// A stream of its own in the process. Throws DeviceError.
  OpenLine open_line(LineKind kind);
  /// The line of `process` is closed, or the process was silent and is to be ended. Why, in words.
  std::string end_of(int process, double silent_s);
  /// Starts the process anew unless another thread has done so since `process` was the last one.
  /// False when it has been started anew as often as it may be, when it is silence that ended it,
  /// and when it cannot open the device any more.
  bool start_again(int process);
  /// What compiling `kernels` may add to the time of an answer: nothing once it is known that they
  /// are there.
  double compiling_s(const std::set<kernels::ReduceKernel>& kernels);
  void note_compiled(const std::set<kernels::ReduceKernel>& kernels);

  /// How often a device is given another process.
  static constexpr int kMostRestarts = 3;
  /// For opening the device, and for compiling what it is to run.
  static constexpr double kOpeningSeconds = 300;

 private:
  base::Bytes start();
  void describe(base::ByteReader said);
  std::string end_of_last(double silent_s);

  std::string device_;
  Placement placement_;
  Isolation isolation_;
  DeviceInfo info_;
  int lanes_ = 1;
  std::unique_ptr<ResponseTimeout> response_timeout_;

  std::mutex mutex_;  ///< guards what follows
  std::unique_ptr<ChildProcess> child_;
  std::unique_ptr<Channel> control_;  ///< with whose end the child leaves
  int process_ = 0;                   ///< number of the last one that was started
  std::string end_;                   ///< why it ended; "" = it goes on, as far as is known
  std::string end_before_;            ///< why the one before it did
  bool hung_ = false;                 ///< and that was silence
  std::set<kernels::ReduceKernel> compiled_;
};

/// The body of an answer that says Answer::done; otherwise throws what it says.
base::ByteReader take_answer(const Message& answer);

}  // namespace tessera::device::process
