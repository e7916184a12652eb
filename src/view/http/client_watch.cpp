#include "view/http/client_watch.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/run.hpp"

namespace tessera::view {
namespace {

constexpr std::uint64_t kEnd = 0;  ///< the number of end_

epoll_event event_of(std::uint32_t events, std::uint64_t number) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return event;
}

}  // namespace

ClientWatch::ClientWatch()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), end_(::eventfd(0, EFD_CLOEXEC)) {
  epoll_event ended = event_of(EPOLLIN, kEnd);
  if (epoll_ < 0 || end_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, end_, &ended) != 0) {
    throw base::run_error("cannot watch connections: {}", std::generic_category().message(errno));
  }
  thread_ = base::run_thread([this] { work(); });
}

ClientWatch::~ClientWatch() {
  ::eventfd_write(end_, 1);
  thread_.join();
  ::close(epoll_);
  ::close(end_);
}

void ClientWatch::work() {
  for (;;) {
    epoll_event event{};
    if (::epoll_wait(epoll_, &event, 1, -1) != 1) continue;  // a signal
    const std::uint64_t number = event.data.u64;             // which is not aligned there
    if (number == kEnd) return;
    const std::scoped_lock lock(mutex_);
    const auto found = watched_.find(number);
    if (found != watched_.end()) found->second->request("the client, which has gone");
  }
}

ClientWatch::Watched::Watched(ClientWatch& watch, int socket, base::StopToken& gone)
    : watch_(watch), socket_(socket) {
  {
    const std::scoped_lock lock(watch_.mutex_);
    number_ = ++watch_.last_;
    watch_.watched_.emplace(number_, &gone);
  }
  // Told once. A connection that cannot be watched is worked for to the end.
  epoll_event ends = event_of(EPOLLRDHUP | EPOLLONESHOT, number_);
  ::epoll_ctl(watch_.epoll_, EPOLL_CTL_ADD, socket_, &ends);
}

ClientWatch::Watched::~Watched() {
  ::epoll_ctl(watch_.epoll_, EPOLL_CTL_DEL, socket_, nullptr);
  const std::scoped_lock lock(watch_.mutex_);
  watch_.watched_.erase(number_);
}

}  // namespace tessera::view
