// A connection of a browser. Its limits keep slow or broken clients from holding a thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::view {

struct ConnectionLimits {
  std::size_t head_bytes = 16 * 1024;       ///< a request: its line, its headers and its body
  std::chrono::milliseconds request{5000};  ///< from the first byte of a request to its last one
  std::chrono::milliseconds idle{15000};    ///< between two requests
  std::chrono::milliseconds answer{10000};  ///< for an answer, besides the pace below
  double slowest_bytes_per_s = 16 * 1024;   ///< the least pace
};

/// Owns a connected socket. One thread uses it; any thread may call hang_up().
class Connection {
 public:
  Connection(int socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  /// Waits for the first byte of a request and starts its clocks. False if the connection has
  /// ended or was idle too long.
  bool wait_for_request();
  /// Starts the clocks of a request whose first bytes were read with the one before.
  void begin_request();
  /// As read(2); -1 beyond a limit.
  ssize_t read(char* to, std::size_t bytes);
  /// Buffers small pieces. Returns `bytes`, or -1 if the client is too slow or gone.
  ssize_t write(const char* from, std::size_t bytes);
  bool flush();
  /// Answers the first request with this text, if it comes soon and the socket's buffer has room.
  void refuse(std::string_view answer);
  /// Answers a request that was not read to its end.
  void end_with(std::string_view answer);
  /// Ends the connection; a thread that waits in it returns.
  void hang_up() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool fill(Clock::time_point deadline);
  bool send_all(const char* from, std::size_t bytes);
  bool wait(short events, Clock::time_point deadline) const;

  int socket_;
  ConnectionLimits limits_;
  std::string in_;           ///< bytes received
  std::size_t begin_ = 0;    ///< beginning of the unread bytes
  std::size_t request_ = 0;  ///< bytes of this request that were read
  std::string out_;          ///< bytes to send
  std::uint64_t sent_ = 0;   ///< bytes of this answer
  Clock::time_point request_deadline_;
  Clock::time_point answer_begin_;
};

}  // namespace tessera::view
