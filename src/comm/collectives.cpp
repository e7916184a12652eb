// Collectives of a world: messages to and from the gather rank, because MPI's own collectives hang
// when a rank is lost.
#include <chrono>
#include <cstdio>
#include <thread>

#include "comm/communicator.hpp"
#include "comm/link.hpp"
#include "comm/world.hpp"

namespace tessera::comm {
namespace {

using namespace std::chrono_literals;

/// Pause between two polls for a message. The first polls spin, since most messages arrive within
/// microseconds.
class Nap {
 public:
  void take() {
    if (++looks_ < kSpins) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(looks_ < 2 * kSpins ? 50us : 500us);
    }
  }

 private:
  static constexpr int kSpins = 100;
  int looks_ = 0;
};

base::Bytes numbered(std::uint32_t number, const base::Bytes& bytes) {
  base::ByteWriter out;
  out.reserve(sizeof(number) + bytes.size());
  return out.put(number).put_bytes(bytes).take();
}

std::uint32_t number_of(const Message& message) {
  return base::ByteReader(message.body).get<std::uint32_t>();
}

base::Bytes body_of(const Message& message) {
  return {message.body.begin() + sizeof(std::uint32_t), message.body.end()};
}

}  // namespace

base::Bytes World::receive_broadcast() {
  Nap nap;
  for (;;) {
    // The gather rank's messages arrive in order, none of them twice.
    if (const auto message = link_->try_receive(Tag::collective)) return body_of(*message);
    nap.take();
  }
}

base::Bytes World::broadcast(base::Bytes bytes) {
  if (!link_) return bytes;
  ++collectives_;
  if (!is_root()) return receive_broadcast();
  for (int rank = 1; rank < size_; ++rank) {
    link_->isend(rank, Tag::collective, false, numbered(collectives_, bytes));
  }
  wait_until_sent();
  return bytes;
}

/// On the gather rank: the bytes that each rank sent to this collective.
std::vector<base::Bytes> World::receive_parts(const base::Bytes& mine) {
  std::vector<base::Bytes> parts(static_cast<std::size_t>(size_));
  std::vector<bool> there(parts.size());
  parts[0] = mine;
  there[0] = true;
  const auto take = [&](const Message& message) {
    const auto source = static_cast<std::size_t>(message.source);
    parts[source] = body_of(message);
    there[source] = true;
    link_->rejoin(message.source);
  };
  for (auto& early : early_) {
    // A rank that was skipped still sends its parts of earlier collectives.
    while (!early.empty() && number_of(early.front()) < collectives_) early.pop_front();
    if (early.empty() || number_of(early.front()) != collectives_) continue;
    take(early.front());
    early.pop_front();
  }
  const auto missing = [&] {
    for (int rank = 1; rank < size_; ++rank) {
      if (!there[static_cast<std::size_t>(rank)] && link_->present(rank)) return true;
    }
    return false;
  };
  for (Nap nap;; nap.take()) {
    while (auto message = link_->try_receive(Tag::collective)) {
      const std::uint32_t number = number_of(*message);
      if (number == collectives_) take(*message);
      if (number <= collectives_) continue;
      early_[static_cast<std::size_t>(message->source)].push_back(std::move(*message));
    }
    if (!missing()) return parts;
  }
}

/// MPI makes progress with long messages only while their sender calls it.
void World::wait_until_sent() {
  for (Nap nap; link_->pending_sends() > 0;) nap.take();
}

std::vector<base::Bytes> World::gather(const base::Bytes& bytes) {
  if (!link_) return {bytes};
  ++collectives_;
  if (is_root()) return receive_parts(bytes);
  link_->isend(0, Tag::collective, false, numbered(collectives_, bytes));
  wait_until_sent();
  return {};
}

std::vector<base::Bytes> World::gather_node(const base::Bytes& bytes) {
  if (!link_) return {bytes};
  const auto parts = gather(bytes);
  ++collectives_;
  base::Bytes of_node;
  for (int rank = is_root() ? size_ : 0;
       rank-- > 0;) {  // its own comes last and stays in `of_node`
    const int node = nodes_[static_cast<std::size_t>(rank)];
    base::ByteWriter out;
    for (std::size_t other = 0; other < parts.size(); ++other) {
      if (nodes_[other] == node) out.put(parts[other]);
    }
    of_node = out.take();
    if (rank > 0) link_->isend(rank, Tag::collective, false, numbered(collectives_, of_node));
  }
  if (!is_root()) of_node = receive_broadcast();
  std::vector<base::Bytes> node;
  for (base::ByteReader in(of_node); !in.empty();) {
    in.read(node.emplace_back());
  }
  return node;
}

void World::give_up(base::ExitCode code, const std::string& why) {
  std::fflush(nullptr);
  communicator_->give_up(static_cast<int>(code), why);
}

/// Ends a run with a missing rank, with which MPI cannot be finalized. The gather rank is the last,
/// because some launchers end all ranks when rank 0 ends.
void World::leave(int exit_code) {
  if (!is_root()) {
    link_->isend(0, Tag::farewell, false, {});
    return wait_until_sent();
  }
  std::vector<bool> gone(static_cast<std::size_t>(size_));
  for (int rank = 1; rank < size_; ++rank) {
    // An absent rank leaves as soon as it receives this.
    if (!link_->present(rank)) {
      link_->isend(rank, Tag::farewell, false, base::ByteWriter().put(exit_code).take());
    }
  }
  const auto waits = [&] {
    for (int rank = 1; rank < size_; ++rank) {
      if (!gone[static_cast<std::size_t>(rank)] && !link_->silent(rank)) return true;
    }
    return false;
  };
  const auto until =
      base::Clock::now() + std::chrono::duration<double>(link_->heartbeat_timeout_s());
  for (Nap nap; waits() && base::Clock::now() < until; nap.take()) {
    while (const auto last_word = link_->try_receive(Tag::farewell)) {
      gone[static_cast<std::size_t>(last_word->source)] = true;
    }
  }
}

int World::finalize(int exit_code) {
  if (!link_) return exit_code;
  gather({});
  const bool all = is_root() && link_->all_present();
  const base::Bytes all_present = broadcast(base::ByteWriter().put(all).take());
  if (!base::ByteReader(all_present).get<bool>()) {
    leave(exit_code);
    give_up(static_cast<base::ExitCode>(exit_code), "a rank is missing");
    link_->abandon();
    link_.reset();
    return exit_code;
  }
  const double heartbeat_timeout_s = link_->heartbeat_timeout_s();
  link_.reset();
  communicator_->end(heartbeat_timeout_s, exit_code);
  return exit_code;
}

}  // namespace tessera::comm
