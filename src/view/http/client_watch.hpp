// Notices clients that go away while their requests are worked at.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "base/stop_token.hpp"

namespace tessera::view {

/// A thread that waits for the ends of connections. Any thread may use it.
class ClientWatch {
 public:
  /// Throws a run error if the system has no descriptor or thread left.
  ClientWatch();
  ~ClientWatch();
  ClientWatch(const ClientWatch&) = delete;
  ClientWatch& operator=(const ClientWatch&) = delete;

  /// While it exists, `gone` is requested when the client closes the connection, or its sending
  /// side of it, or when this side hangs up.
  class Watched {
   public:
    Watched(ClientWatch& watch, int socket, base::StopToken& gone);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    ClientWatch& watch_;
    int socket_;
    std::uint64_t number_;
  };

 private:
  void work();

  int epoll_ = -1;
  int end_ = -1;  ///< readable when the thread is to end
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, base::StopToken*> watched_;  ///< by numbers that do not come again
  std::thread thread_;
};

}  // namespace tessera::view
