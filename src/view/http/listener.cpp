#include "view/http/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "base/error.hpp"

namespace tessera::view {
namespace {

/// As many clients may connect at once as want to.
constexpr int kBacklog = 1024;
/// Until another descriptor may be free.
constexpr int kRetryMs = 10;

void set_on(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof(on));
}

/// -1, with errno, if this machine has no such address or the port is taken.
int listen_at(const addrinfo& at) {
  const int socket = ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol);
  if (socket < 0) return -1;
  set_on(socket, SOL_SOCKET, SO_REUSEADDR);
  if (::bind(socket, at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket, kBacklog) == 0) {
    return socket;
  }
  const int reason = errno;
  ::close(socket);
  errno = reason;
  return -1;
}

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Listener::Listener(const std::string& address, int port, const std::string& what) {
  addrinfo requested{};
  requested.ai_family = AF_UNSPEC;
  requested.ai_socktype = SOCK_STREAM;
  requested.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &requested, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  if (code != 0) {
    throw base::usage_error("{}: cannot listen at {} port {}: {}", what, address, port,
                            ::gai_strerror(code));
  }
  for (const addrinfo* at = found; at && socket_ < 0; at = at->ai_next) socket_ = listen_at(*at);
  if (socket_ < 0) {
    throw base::usage_error("{}: cannot listen at {} port {}: {}", what, address, port,
                            std::generic_category().message(errno));
  }
  port_ = port_of(socket_);
}

Listener::~Listener() {
  ::close(socket_);
}

int Listener::accept() {
  for (;;) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) {
      set_on(socket, IPPROTO_TCP, TCP_NODELAY);
      return socket;
    }
    if (errno == EINVAL || errno == EBADF) return -1;
    // Without a free descriptor or memory, connections wait in the queue of the system.
    if (errno != EINTR && errno != ECONNABORTED) ::poll(nullptr, 0, kRetryMs);
  }
}

void Listener::stop() {
  ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace tessera::view
