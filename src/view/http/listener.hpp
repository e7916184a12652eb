// A listening TCP socket.
#pragma once

#include <string>

namespace tessera::view {

/// One thread calls accept(); any thread may call stop().
class Listener {
 public:
  /// Listens at a name or an address of this machine; `port` 0 takes a free one. Throws a usage
  /// error that starts with `what` if that is not possible.
  Listener(const std::string& address, int port, const std::string& what);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  /// Waits for the next connection. Returns its socket, which the caller closes, or -1 after
  /// stop().
  int accept();
  void stop();

 private:
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace tessera::view
