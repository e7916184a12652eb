// The heartbeat thread of a Link: sends heartbeats and detects silent ranks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "comm/link.hpp"

namespace tessera::comm {
namespace {

/// Heartbeats per timeout: some may be late on a busy machine.
constexpr double kBeats = 5;
/// All ranks need the gather rank, so they wait longer for it than it waits for them.
constexpr double kGatherRankFactor = 2;
/// Milliseconds that a rank with orders to leave waits until its answer is sent.
constexpr int kLastWordTries = 100;

}  // namespace

void Link::beat() {
  std::unique_lock lock(mutex_);
  while (!ended_ && !communicator_.given_up()) {
    const double heartbeat_timeout_s = heartbeat_timeout_s_;
    const double tick_s = heartbeat_timeout_s > 0 ? heartbeat_timeout_s / kBeats : 1;
    wake_.wait_for(lock, std::chrono::duration<double>(tick_s));
    if (ended_) return;
    silence_.pass(base::seconds_between(started_, base::Clock::now()), tick_s);
    rank_ == 0 ? watch_ranks() : watch_gather_rank();
  }
}

void Link::heard(int rank) {
  silence_.heard(rank);
  to_answer_[static_cast<std::size_t>(rank)] = true;
  if (state_of(rank) == State::silent) set_state(rank, State::behind, "is heard of again");
}

void Link::set_state(int rank, State state, const std::string& why) {
  const bool no_news = state == State::present || state_of(rank) == state;
  state_of(rank) = state;
  if (state != State::present) lost_once_[static_cast<std::size_t>(rank)] = true;
  ++changes_;
  if (no_news || rank_ != 0) return;
  events_.log(
      fmt::format("tessera: rank {} on {} {}", rank, hosts_[static_cast<std::size_t>(rank)], why));
}

void Link::watch_ranks() {
  while (begin_receive(Tag::pulse) || take_received(Tag::pulse)) {
  }
  for (int rank = 1; rank < size_; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    // Only answers heartbeats: unanswered sends to a lost rank would pile up.
    if (to_answer_[index]) start(rank, Tag::pulse, false, {});
    to_answer_[index] = false;
    if (heartbeat_timeout_s_ <= 0 || silence_.of(rank) <= heartbeat_timeout_s_) continue;
    if (state_of(rank) == State::silent) continue;
    set_state(rank, State::silent,
              fmt::format("has not been heard of for {:g} s; the others continue without it",
                          heartbeat_timeout_s_.load()));
  }
  collect_sends();
}

void Link::watch_gather_rank() {
  while (begin_receive(Tag::pulse) || take_received(Tag::pulse)) {
  }
  begin_receive(Tag::farewell);
  if (const auto farewell = take_received(Tag::farewell)) {
    const std::string why =
        fmt::format("rank {} on {}: the others are done without it", rank_, host_);
    events_.log(fmt::format("tessera: {}; leaves", why));
    start(0, Tag::farewell, false, {});
    for (int i = 0; i < kLastWordTries && !sends_.empty(); ++i) {
      collect_sends();
      ::usleep(1000);
    }
    return communicator_.give_up(base::ByteReader(farewell->body).get<int>(), why);
  }
  start(0, Tag::pulse, false, {});
  collect_sends();
  const double limit_s = kGatherRankFactor * heartbeat_timeout_s_;
  if (limit_s <= 0 || silence_.of(0) <= limit_s) return;
  leave(fmt::format("rank 0, which gathers, has not been heard of for {:g} s", limit_s));
}

/// The exit code is not 75 (stopped early), because nobody requested a stop and the same command
/// should be started at once.
void Link::leave(const std::string& cause) const {
  const std::string why = fmt::format("rank {} on {}: {}", rank_, host_, cause);
  events_.log(fmt::format("tessera: {}; leaves", why));
  communicator_.give_up(static_cast<int>(base::ExitCode::failed), why);
}

}  // namespace tessera::comm
