#include "comm/link.hpp"

#include <algorithm>
#include <utility>

namespace tessera::comm {
namespace {

/// Most simultaneous receives per tag; only those from present ranks count.
constexpr std::ptrdiff_t kReceivesAtOnce = 4;

}  // namespace

Link::Link(Communicator& communicator, base::Events& events, int rank, int size, std::string host,
           std::vector<std::string> hosts)
    : communicator_(communicator),
      events_(events),
      rank_(rank),
      size_(size),
      host_(std::move(host)),
      hosts_(std::move(hosts)),
      heartbeat_timeout_s_(kDefaultHeartbeatSeconds),
      silence_(size),
      states_(static_cast<std::size_t>(size), State::present),
      lost_once_(static_cast<std::size_t>(size)),
      to_answer_(static_cast<std::size_t>(size)) {
  if (size_ > 1) pulse_ = std::thread([this] { beat(); });
}

Link::~Link() {
  {
    std::scoped_lock lock(mutex_);
    ended_ = true;
    wake_.notify_all();
  }
  if (pulse_.joinable()) pulse_.join();
}

void Link::abandon() {
  const std::scoped_lock lock(mutex_);
  new std::list<Send>(std::move(sends_));
  new std::list<Receive>(std::move(receives_));
}

void Link::set_heartbeat_timeout(double seconds) {
  heartbeat_timeout_s_ = seconds;
  wake_.notify_all();
}

void Link::isend(int to, Tag tag, bool synchronous, base::Bytes body) {
  std::scoped_lock lock(mutex_);
  communicator_.check();
  start(to, tag, synchronous, std::move(body));
}

void Link::start(int to, Tag tag, bool synchronous, base::Bytes body) {
  const int bytes = count_of(body.size());
  Send& send = sends_.emplace_back(Send{.to = to, .body = std::move(body)});
  const auto send_by = synchronous ? MPI_Issend : MPI_Isend;
  const int status = send_by(send.body.data(), bytes, MPI_BYTE, to, static_cast<int>(tag),
                             communicator_.handle(), &send.request);
  if (status == MPI_SUCCESS) return;
  sends_.pop_back();
  if (to == 0) leave("the gather rank cannot be reached");
  set_state(to, State::behind, "cannot be reached");
}

void Link::collect_sends() {
  for (auto send = sends_.begin(); send != sends_.end();) {
    int gone = 0;
    const int status = MPI_Test(&send->request, &gone, MPI_STATUS_IGNORE);
    if (status != MPI_SUCCESS && send->to == 0) leave("the gather rank cannot be reached");
    if (status != MPI_SUCCESS) set_state(send->to, State::behind, "cannot be reached");
    send = gone || status != MPI_SUCCESS ? sends_.erase(send) : std::next(send);
  }
}

std::size_t Link::pending_sends() {
  std::scoped_lock lock(mutex_);
  communicator_.check();
  collect_sends();
  return static_cast<std::size_t>(
      std::ranges::count_if(sends_, [&](const Send& send) { return is_present(send.to); }));
}

std::optional<Message> Link::try_receive(Tag tag) {
  std::scoped_lock lock(mutex_);
  communicator_.check();
  do {
    if (auto message = take_received(tag)) return message;
  } while (begin_receive(tag));
  return std::nullopt;
}

std::optional<Message> Link::take_received(Tag tag) {
  std::vector<int> waited_for;  // their later messages must wait for these
  for (auto receive = receives_.begin(); receive != receives_.end(); ++receive) {
    if (receive->tag != tag) continue;
    const int source = receive->message.source;
    int done = receive->done ? 1 : 0;
    if (!done && MPI_Test(&receive->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      set_state(source, State::behind, "broke off in the middle of a message");
      receive = std::prev(receives_.erase(receive));
      continue;
    }
    receive->done = done != 0;
    if (done && std::ranges::find(waited_for, source) == waited_for.end()) {
      Message message = std::move(receive->message);
      receives_.erase(receive);
      return message;
    }
    waited_for.push_back(source);
  }
  return std::nullopt;
}

bool Link::begin_receive(Tag tag) {
  const auto coming = std::ranges::count_if(receives_, [&](const Receive& receive) {
    return receive.tag == tag && is_present(receive.message.source);
  });
  if (coming >= kReceivesAtOnce) return false;
  int there = 0;
  MPI_Message handle = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, static_cast<int>(tag), communicator_.handle(), &there, &handle,
                    &status),
        "MPI_Improbe");
  if (!there) return false;
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  heard(status.MPI_SOURCE);
  Receive& receive = receives_.emplace_back(Receive{
      .tag = tag, .message = {status.MPI_SOURCE, base::Bytes(static_cast<std::size_t>(bytes))}});
  check(MPI_Imrecv(receive.message.body.data(), bytes, MPI_BYTE, &handle, &receive.request),
        "MPI_Imrecv");
  return true;
}

bool Link::receiving(Tag tag) const {
  std::scoped_lock lock(mutex_);
  return std::ranges::any_of(receives_, [&](const Receive& receive) {
    return receive.tag == tag && is_present(receive.message.source);
  });
}

bool Link::present(int rank) const {
  std::scoped_lock lock(mutex_);
  return is_present(rank);
}

bool Link::all_present() const {
  std::scoped_lock lock(mutex_);
  return std::ranges::count(states_, State::present) == size_;
}

bool Link::silent(int rank) const {
  std::scoped_lock lock(mutex_);
  return states_[static_cast<std::size_t>(rank)] == State::silent;
}

void Link::leave_behind(int rank, const char* why) {
  std::scoped_lock lock(mutex_);
  if (is_present(rank)) set_state(rank, State::behind, why);
}

void Link::rejoin(int rank) {
  std::scoped_lock lock(mutex_);
  if (!is_present(rank)) set_state(rank, State::present, "");
}

std::vector<int> Link::lost_once() const {
  std::scoped_lock lock(mutex_);
  std::vector<int> ranks;
  for (int rank = 0; rank < size_; ++rank) {
    if (lost_once_[static_cast<std::size_t>(rank)]) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace tessera::comm
