// A file descriptor, owned.
#pragma once

#include <unistd.h>

namespace tessera::base {

class Descriptor {
 public:
  /// Of -1, nothing.
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
