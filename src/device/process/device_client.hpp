// A rank's client of a stream in the device's process: queues commands until one needs an answer,
// shares memory, turns silence and the end of the process into DeviceError.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "device/process/shared_memory.hpp"
#include "device/process/supervisor.hpp"

namespace tessera::device::process {

/// One thread at a time. Every function throws DeviceError; revive() then says whether the
/// connection can be used again.
class Connection {
 public:
  Connection(std::shared_ptr<Supervisor> supervisor, ConnectionKind kind);

  std::size_t capacity_bytes() const { return open_.capacity_bytes; }
  Supervisor& supervisor() { return *supervisor_; }

  template <class... Arguments>
  void queue_command(Command command, const Arguments&... arguments) {
    queued_.put(command, arguments...);
  }
  /// Queues one of Calls, to be sent with the next ask() or flush().
  template <auto kCall, class... Arguments>
  void queue(const Arguments&... arguments) {
    queue_call<kCall>(kCall, arguments...);
  }
  /// Sends the queued commands and a call, and sleeps until the result arrives. It is valid until
  /// the next ask(). A process that is silent for longer than the response timeout plus `more_s`
  /// seconds is killed.
  template <auto kCall, class... Arguments>
  base::ByteReader ask_within(double more_s, const Arguments&... arguments) {
    queue<kCall>(arguments...);
    return exchange(message(Reply::requested, queued_.take()), more_s, -1);
  }
  template <auto kCall, class... Arguments>
  base::ByteReader ask(const Arguments&... arguments) {
    return ask_within<kCall>(0, arguments...);
  }

  /// Sends the queued commands without waiting for them, so that the device can begin.
  void flush(double more_s);

  /// Shared memory, which the process can access too.
  std::unique_ptr<HostBuffer> make_buffer(std::size_t bytes);
  /// The shared region that contains `bytes`, if they lie in such a buffer.
  std::optional<SharedRegion> find(std::span<const std::byte> bytes) const;

  /// Connects to a new process if the old one has ended and another one can be started. Commands
  /// sent to the old process are lost; buffers are shared again.
  bool revive();

 private:
  friend class ConnectionBuffer;
  static base::Bytes message(Reply reply, const base::Bytes& commands);
  base::ByteReader exchange(const base::Bytes& body, double more_s, int descriptor);
  [[noreturn]] void fail(Channel::Outcome outcome, double within_s);
  void share(std::uint64_t number);
  template <auto kCall, class Stream, class Result, class... Taken>
  void queue_call(Result (Stream::*)(Taken...), const Sent<Taken>&... arguments) {
    queue_command(Command::call, number_of<kCall>(Calls()), arguments...);
  }

  std::shared_ptr<Supervisor> supervisor_;
  ConnectionKind kind_;
  OpenConnection open_;
  bool broken_ = false;  ///< the process has ended or is unresponsive
  base::ByteWriter queued_;
  Message answer_;
  std::map<std::uint64_t, const SharedMemory*> shared_;
  std::uint64_t next_number_ = 0;
};

}  // namespace tessera::device::process
