// One end of a line between two processes of one machine: messages of any length, each with a file
// descriptor if need be. The kernel closes the line when either process ends, whatever ends it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/bytes.hpp"

namespace tessera::device::process {

/// A file descriptor, owned.
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
  Descriptor descriptor;  ///< -1 if none came with it
};

/// Neither end inherits the other's descriptors: all are closed on exec. One thread at a time.
class Channel {
 public:
  enum class Outcome { done, closed, silent };
  static constexpr double kForEver = std::numeric_limits<double>::infinity();

  explicit Channel(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  /// Both ends. Throws base::Error (failed).
  static std::pair<Channel, Channel> pair();

  /// `within_s` counts the time in which this process ran: while it is stopped, none passes.
  /// `silent`: the other end took nothing, or sent nothing, for so long; the line is then worth
  /// nothing any more.
  Outcome send(std::span<const std::byte> body, double within_s, int descriptor = -1);
  Outcome receive(Message& message, double within_s);

  int descriptor() const { return descriptor_.get(); }

 private:
  Outcome write(std::span<const std::byte> bytes, double within_s, int descriptor);
  Outcome read(std::span<std::byte> bytes, double within_s, Descriptor& descriptor);
  Outcome wait_for(short events, double within_s) const;

  Descriptor descriptor_;
};

}  // namespace tessera::device::process
