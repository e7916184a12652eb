// One end of a connection between two processes of one machine. A message has any length and may
// carry a file descriptor. The kernel closes the connection when either process ends, however it
// ends.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/bytes.hpp"

namespace tessera::device::process {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }

 private:
  int number_;
};

struct Message {
  base::Bytes body;
  Descriptor descriptor;  ///< -1 if the message carried none
};

/// All descriptors are closed on exec, so that no process inherits those of another. One thread at
/// a time.
class Channel {
 public:
  enum class Outcome { done, closed, silent };
  static constexpr double kForEver = std::numeric_limits<double>::infinity();

  explicit Channel(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  /// Both ends of a new connection. Throws base::Error (failed).
  static std::pair<Channel, Channel> pair();

  /// `within_s` counts only the time in which this process runs, not the time while it is stopped.
  /// `silent`: the other end received or sent nothing for that time. The connection is unusable
  /// afterwards.
  Outcome send(std::span<const std::byte> body, double within_s, int descriptor = -1);
  Outcome receive(Message& message, double within_s);

  /// Ends the connection: whoever waits on either end goes on. From any thread.
  void shut_down() const;

  int descriptor() const { return descriptor_.get(); }

 private:
  Outcome write(std::span<const std::byte> bytes, double within_s, int descriptor);
  Outcome read(std::span<std::byte> bytes, double within_s, Descriptor& descriptor);
  Outcome wait_for(short events, double within_s) const;

  Descriptor descriptor_;
};

}  // namespace tessera::device::process
