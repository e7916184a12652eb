#include "view/http/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tessera::view {
namespace {

constexpr std::size_t kReceiveBytes = 4096;
constexpr std::size_t kSendBytes = 64 * 1024;
constexpr std::chrono::milliseconds kRefusal{100};

}  // namespace

Connection::~Connection() {
  ::close(socket_);
}

void Connection::hang_up() const {
  ::shutdown(socket_, SHUT_RDWR);
}

bool Connection::wait(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd entry{.fd = socket_, .events = events, .revents = 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// Receives what there is; called when everything before was read.
bool Connection::fill(Clock::time_point deadline) {
  if (!wait(POLLIN, deadline)) return false;
  in_.resize(kReceiveBytes);
  begin_ = 0;
  const ssize_t received = ::recv(socket_, in_.data(), in_.size(), MSG_DONTWAIT);
  in_.resize(static_cast<std::size_t>(std::max<ssize_t>(received, 0)));
  return received > 0;
}

bool Connection::wait_for_request() {
  if (begin_ == in_.size() && !fill(Clock::now() + limits_.idle)) return false;
  begin_request();
  return true;
}

void Connection::begin_request() {
  request_ = 0;
  sent_ = 0;
  request_deadline_ = Clock::now() + limits_.request;
}

ssize_t Connection::read(char* to, std::size_t bytes) {
  if (begin_ == in_.size() && !fill(request_deadline_)) return -1;
  const std::size_t taken = std::min(bytes, in_.size() - begin_);
  request_ += taken;
  if (request_ > limits_.head_bytes) return -1;
  std::copy_n(in_.data() + begin_, taken, to);
  begin_ += taken;
  return static_cast<ssize_t>(taken);
}

/// The text of the client is read first, and in end_with() behind it: closing would drop the answer
/// otherwise.
void Connection::refuse(std::string_view answer) {
  if (!fill(Clock::now() + kRefusal)) return;
  ::send(socket_, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::shutdown(socket_, SHUT_WR);
}

void Connection::end_with(std::string_view answer) {
  if (write(answer.data(), answer.size()) < 0 || !flush()) return;
  ::shutdown(socket_, SHUT_WR);
  const auto end = Clock::now() + kRefusal;
  while (fill(end)) {
  }
}

bool Connection::send_all(const char* from, std::size_t bytes) {
  if (sent_ == 0) answer_begin_ = Clock::now();
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_, from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      from += sent;
      bytes -= static_cast<std::size_t>(sent);
      sent_ += static_cast<std::uint64_t>(sent);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    const std::chrono::duration<double> at_pace(static_cast<double>(sent_) /
                                                limits_.slowest_bytes_per_s);
    const auto allowed = limits_.answer + std::chrono::ceil<std::chrono::milliseconds>(at_pace);
    if (!wait(POLLOUT, answer_begin_ + allowed)) return false;
  }
  return true;
}

bool Connection::flush() {
  const bool sent = send_all(out_.data(), out_.size());
  out_.clear();
  return sent;
}

ssize_t Connection::write(const char* from, std::size_t bytes) {
  out_.append(from, bytes);
  if (out_.size() >= kSendBytes && !flush()) return -1;
  return static_cast<ssize_t>(bytes);
}

}  // namespace tessera::view
