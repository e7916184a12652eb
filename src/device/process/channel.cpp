#include "device/process/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tessera::device::process {
namespace {

/// Precedes the bytes of a message.
struct Header {
  std::uint64_t bytes = 0;
};

/// Space for one descriptor as ancillary data.
struct Ancillary {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
};

msghdr message_of(iovec& part) {
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return message;
}

void attach(msghdr& message, Ancillary& ancillary, int descriptor) {
  message.msg_control = ancillary.space.data();
  message.msg_controllen = ancillary.space.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
}

void detach(msghdr& message, Descriptor& descriptor) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof(int));
    descriptor = Descriptor(number);
  }
}

bool try_again(int error_number) {
  return error_number == EAGAIN || error_number == EWOULDBLOCK;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw base::run_error("socketpair: {}", std::strerror(errno));
  }
  return {Channel(Descriptor(ends[0])), Channel(Descriptor(ends[1]))};
}

void Channel::shut_down() const {
  ::shutdown(descriptor_.get(), SHUT_RDWR);
}

Channel::Outcome Channel::send(std::span<const std::byte> body, double within_s, int descriptor) {
  const Header header{body.size()};
  const Outcome begun = write(std::as_bytes(std::span(&header, 1)), within_s, descriptor);
  return begun == Outcome::done ? write(body, within_s, -1) : begun;
}

Channel::Outcome Channel::receive(Message& message, double within_s) {
  Header header;
  const Outcome begun =
      read(std::as_writable_bytes(std::span(&header, 1)), within_s, message.descriptor);
  if (begun != Outcome::done) return begun;
  message.body.resize(header.bytes);
  Descriptor none;
  return read(message.body, within_s, none);
}

Channel::Outcome Channel::write(std::span<const std::byte> bytes, double within_s, int descriptor) {
  while (!bytes.empty()) {
    iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr message = message_of(part);
    Ancillary ancillary;
    if (descriptor >= 0) attach(message, ancillary, descriptor);
    const ssize_t sent = ::sendmsg(descriptor_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      descriptor = -1;  // it was sent with the first byte
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (try_again(errno)) {
      const Outcome ready = wait_for(POLLOUT, within_s);
      if (ready != Outcome::done) return ready;
    } else if (errno != EINTR) {
      return Outcome::closed;
    }
  }
  return Outcome::done;
}

Channel::Outcome Channel::read(std::span<std::byte> bytes, double within_s,
                               Descriptor& descriptor) {
  while (!bytes.empty()) {
    iovec part{bytes.data(), bytes.size()};
    msghdr message = message_of(part);
    Ancillary ancillary;
    message.msg_control = ancillary.space.data();
    message.msg_controllen = ancillary.space.size();
    const ssize_t got = ::recvmsg(descriptor_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got > 0) {
      detach(message, descriptor);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got < 0 && try_again(errno)) {
      const Outcome ready = wait_for(POLLIN, within_s);
      if (ready != Outcome::done) return ready;
    } else if (got == 0 || errno != EINTR) {
      return Outcome::closed;
    }
  }
  return Outcome::done;
}

/// Polls in short intervals and counts each as its nominal length: a process that was stopped, or a
/// machine that slept, does not mistake the other end for silent.
Channel::Outcome Channel::wait_for(short events, double within_s) const {
  constexpr double kNapSeconds = 0.5;
  pollfd line{descriptor_.get(), events, 0};
  for (double left_s = within_s;;) {
    const double nap_s = std::min(kNapSeconds, left_s);
    const int ready = ::poll(&line, 1, static_cast<int>(nap_s * 1e3) + 1);
    if (ready > 0) return Outcome::done;
    if (ready < 0 && errno != EINTR) return Outcome::closed;
    if (ready == 0 && (left_s -= nap_s) <= 0) return Outcome::silent;
  }
}

}  // namespace tessera::device::process
