// The process that drives one device for this rank: started, supervised, restarted after a crash.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/bytes.hpp"
#include "device/device.hpp"
#include "device/opening.hpp"
#include "device/placement.hpp"
#include "device/process/channel.hpp"
#include "device/process/commands.hpp"
#include "device/process/driver_process.hpp"
#include "device/process/program_number.hpp"
#include "device/process/response_timeout.hpp"

namespace tessera::device::process {

/// A connection to a stream in the device's process.
struct OpenConnection {
  Channel channel;
  int process = 0;  ///< the process is the n-th that was started, counted from 1
  std::size_t capacity_bytes = 0;
};

/// Shared by the streams of a device, which run in different threads.
class Supervisor {
 public:
  /// Lets `process` open the device, or starts one if it is null. Throws what opening the device
  /// throws there, and DeviceError if the process ends or is silent meanwhile.
  Supervisor(std::string device, const Placement& placement, const Isolation& isolation,
             std::shared_ptr<DriverProcess> process = nullptr);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  const DeviceInfo& info() const { return info_; }
  int lanes() const { return lanes_; }
  /// The opening of the first process.
  const Opening& opening() const { return opening_; }
  ResponseTimeout& response_timeout() { return *response_timeout_; }

  /// Begins a connection to the current process, whose number it returns too, if that still runs;
  /// otherwise it is closed at the other end.
  Channel connect(ConnectionKind kind, int& process);
  /// Opens a stream in the process. Throws DeviceError.
  OpenConnection open_connection(ConnectionKind kind);
  /// Says in words how `process` ended. Call it when its connection is closed (`silent_s` = 0), or
  /// after `silent_s` seconds of silence: the process is then killed.
  std::string end_of(int process, double silent_s);
  /// Kills `process` because of `why`, an error after which it cannot use its device any more.
  /// Returns how it ended.
  std::string end_process(int process, const std::string& why);
  /// Restarts the process, unless another thread has already replaced `process`. False after
  /// kMaxRestarts restarts, if the process was killed because of silence, or if the new one cannot
  /// open the device. Waits some seconds for a device that is busy.
  bool start_again(int process);
  /// Seconds that compiling `programs` may add to the time of an answer; 0 once they are compiled.
  double compiling_s(const std::set<ProgramNumber>& programs);
  void note_compiled(const std::set<ProgramNumber>& programs);

  /// Restarts per device.
  // not crossed: the device is lost after it
  static constexpr int kMaxRestarts = 3;
  /// Timeout for opening the device, and for compiling its kernels.
  static constexpr double kOpeningSeconds = 300;

 private:
  base::Bytes open(std::shared_ptr<DriverProcess> process);
  void describe(base::ByteReader said);
  std::string end_of_last(double silent_s);

  std::string device_;
  Placement placement_;
  Isolation isolation_;
  DeviceInfo info_;
  int lanes_ = 1;
  Opening opening_;
  std::unique_ptr<ResponseTimeout> response_timeout_;

  std::mutex mutex_;  ///< guards the members below
  std::shared_ptr<DriverProcess> driver_;
  int process_ = 0;         ///< number of the current process, from 1
  std::string end_;         ///< how it ended; "" = it is running, as far as known
  std::string end_before_;  ///< how the one before it ended
  bool hung_ = false;       ///< it was killed because of silence
  int restarts_ = 0;
  std::set<ProgramNumber> compiled_;  ///< in the current process
};

/// The body of an answer that begins with Answer::done; otherwise throws the error that it holds.
base::ByteReader take_answer(const Message& answer);

}  // namespace tessera::device::process
