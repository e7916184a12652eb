// A stream of the device's process, as this rank speaks to it: commands are kept until one has to
// be answered, memory is shared, silence and death become DeviceErrors.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "device/process/shared_memory.hpp"
#include "device/process/supervisor.hpp"

namespace tessera::device::process {

/// One thread at a time. Everything throws DeviceError; after that revive() says whether the line
/// can be used again.
class Line {
 public:
  Line(std::shared_ptr<Supervisor> supervisor, LineKind kind);

  std::size_t capacity_bytes() const { return open_.capacity_bytes; }
  Supervisor& supervisor() { return *supervisor_; }

  /// Adds a command to those that go with the next ask().
  template <class... Arguments>
  void tell(Command command, const Arguments&... arguments) {
    waiting_.put(command);
    (add(arguments), ...);
  }
  /// Sends what is waiting and `command`, and sleeps until its answer is there, which is valid
  /// until the next ask(). A process that is silent for longer than it should be, and for `more_s`
  /// besides, is killed.
  template <class... Arguments>
  base::ByteReader ask(Command command, const Arguments&... arguments) {
    return ask_within(0, command, arguments...);
  }
  template <class... Arguments>
  base::ByteReader ask_within(double more_s, Command command, const Arguments&... arguments) {
    tell(command, arguments...);
    return exchange(message(Reply::wanted, waiting_.take()), more_s, -1);
  }

  /// Sends what is waiting, so that the device can begin; returns at once.
  void flush(double more_s);

  /// Memory that the process sees too.
  std::unique_ptr<HostBuffer> make_buffer(std::size_t bytes);
  /// Where the bytes lie if they are of such a buffer.
  std::optional<SharedRegion> find(std::span<const std::byte> bytes) const;

  /// A line to a new process, if the last one has ended and there is to be a new one: nothing is
  /// left of what was told to the old one, but buffers are shared.
  bool revive();

 private:
  friend class LineBuffer;
  static base::Bytes message(Reply reply, const base::Bytes& commands);
  base::ByteReader exchange(const base::Bytes& body, double more_s, int descriptor);
  [[noreturn]] void fail(Channel::Outcome outcome, double within_s);
  void share(std::uint64_t number);
  template <class T>
  void add(const T& argument) {
    waiting_.put(argument);
  }
  template <class T>
  void add(std::span<const T> argument) {
    waiting_.put(argument.size()).put_bytes(std::as_bytes(argument));
  }

  std::shared_ptr<Supervisor> supervisor_;
  LineKind kind_;
  OpenLine open_;
  bool broken_ = false;  ///< by the end of the process
  base::ByteWriter waiting_;
  Message answer_;
  std::map<std::uint64_t, const SharedMemory*> shared_;
  std::uint64_t next_number_ = 0;
};

}  // namespace tessera::device::process
