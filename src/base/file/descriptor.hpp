// An owned file descriptor.
#pragma once

#include <unistd.h>

namespace tessera::base {

class Descriptor {
 public:
  /// -1 owns nothing.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace tessera::base
