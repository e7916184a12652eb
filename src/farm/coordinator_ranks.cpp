// The Coordinator's members that decide which ranks take part, and when the farm is over.
#include <algorithm>
#include <iterator>
#include <utility>

#include "farm/coordinator.hpp"

namespace tessera::farm {
namespace {

/// How long, in heartbeats, other ranks wait for a rank that is busy with work that nobody needs.
/// They wait because mpirun may kill the job when ranks leave without MPI_Finalize.
constexpr double kHeartbeatsBehind = 3;
/// How often a part is given to another rank, once in a heartbeat, while its lost rank keeps it.
constexpr int kTriesToAdopt = 3;

}  // namespace

void Coordinator::retire(int rank, const std::string& host, const std::vector<std::int64_t>& items,
                         const std::string& why) {
  dealer_.give_back(rank, items, now_s());
  dealer_.retire(rank);
  std::erase_if(pending_requests_,
                [&](const PendingRequest& asking) { return asking.rank == rank; });
  if (!why.empty()) {
    last_loss_ = world_.size() == 1 ? why : fmt::format("rank {} on {}: {}", rank, host, why);
  }
  end_without_workers();
}

void Coordinator::halt(const std::string& why) {
  if (stopped_) return;
  halted_ = why;
  stop(MessageKind::halt);
}

void Coordinator::stop(MessageKind kind) {
  stopped_ = true;
  stopped_s_ = now_s();
  if (kind != MessageKind::halt) outbox_.abandon();
  // Also to lost ranks: they find the message when they come back.
  for (int rank = 1; rank < world_.size(); ++rank) post(rank, {.kind = kind});
}

bool Coordinator::check_ranks() {
  const std::uint64_t changes = world_.changes();
  if (changes == seen_changes_) return false;
  seen_changes_ = changes;
  for (int rank = 1; rank < world_.size(); ++rank) check_rank(rank);
  end_without_workers();
  return true;
}

void Coordinator::check_rank(int rank) {
  Other& that = other(rank);
  if (world_.present(rank)) {
    that.greeted = false;
    if (!std::exchange(that.lost, false)) return;
    if (routes_.has_several()) {
      outbox_.hold(rank, false);
      tell_others(MessageKind::back, rank);
    }
    if (auto items = dealer_.regain(rank, now_s()); !items.empty()) drop(rank, std::move(items));
    return;
  }
  if (!std::exchange(that.lost, true)) {
    dealer_.lose(rank, now_s());
    lose_parts(rank);
  }
  // Without this question, it might send nothing in this farm.
  const bool silent = world_.silent(rank);
  if (!silent && !that.greeted) post(rank, {.kind = MessageKind::hello});
  that.greeted = !silent;
}

/// Its parts go to other ranks, and so do all results of them that may not have arrived.
void Coordinator::lose_parts(int rank) {
  if (!routes_.has_several()) return;
  outbox_.hold(rank, true);
  tell_others(MessageKind::lost, rank);
  if (stopped_) return;
  const std::vector<int> ranks = routes_.ranks();
  for (std::size_t part = 0; part < ranks.size(); ++part) {
    const auto adoption = adoptions_.find(part);
    const int owner = adoption == adoptions_.end() ? ranks[part] : adoption->second.rank;
    if (owner == rank) give_part(part);
  }
}

void Coordinator::tell_others(MessageKind kind, int rank) {
  for (int other = 1; other < world_.size(); ++other) {
    if (other != rank) post(other, {.kind = kind, .rank = rank});
  }
}

/// To the rank that has the fewest.
void Coordinator::give_part(std::size_t part) {
  std::vector<int> parts_of(static_cast<std::size_t>(world_.size()));
  for (const int rank : routes_.ranks()) ++parts_of[static_cast<std::size_t>(rank)];
  for (const auto& [other, adoption] : adoptions_) {
    ++parts_of[static_cast<std::size_t>(adoption.rank)];
  }
  int to = world_.rank();
  for (int rank = 1; rank < world_.size(); ++rank) {
    const bool fewer =
        parts_of[static_cast<std::size_t>(rank)] < parts_of[static_cast<std::size_t>(to)];
    if (world_.present(rank) && !other(rank).lost && !other(rank).left && fewer) to = rank;
  }
  adoptions_[part].rank = to;
  adoptions_[part].why_not.clear();
  if (to == world_.rank()) {
    inbox_.adopt(part);
  } else {
    post(to, {.kind = MessageKind::adopt, .items = {static_cast<std::int64_t>(part)}});
  }
}

/// A rank that is only silent keeps the lock of its part. It may come back.
void Coordinator::wait_for_part(std::size_t part, const std::string& why) {
  Adoption& adoption = adoptions_[part];
  adoption.why_not = why;
  adoption.again_s = now_s() + world_.heartbeat_timeout_s();
}

void Coordinator::give_parts_again() {
  for (auto next = adoptions_.begin(); next != adoptions_.end() && !stopped_;) {
    const auto current = next++;
    auto& [part, adoption] = *current;
    if (adoption.why_not.empty() || now_s() < adoption.again_s) continue;
    if (world_.present(routes_.ranks()[part])) {
      adoptions_.erase(current);
    } else if (++adoption.tries == kTriesToAdopt) {
      // The next run finds the tiles that the rank has stored.
      halt("the loss of a rank that stores a part: " + adoption.why_not);
    } else {
      give_part(part);
    }
  }
}

/// The rank has adopted them, so the others may send to it.
void Coordinator::move_parts(const std::vector<std::int64_t>& parts, int rank) {
  for (const std::int64_t number : parts) {
    const auto part = static_cast<std::size_t>(number);
    adoptions_.erase(part);
    const int lost = routes_.ranks()[part];
    routes_.move(part, rank);
    take_unsent(world_.rank(), outbox_.take_back(part, lost));
  }
  for (int other = 1; other < world_.size(); ++other) {
    post(other, {.kind = MessageKind::moved, .rank = rank, .items = parts});
  }
}

void Coordinator::take_unsent(int rank, const std::vector<std::int64_t>& items) {
  std::vector<std::int64_t> lost;
  std::ranges::copy_if(items, std::back_inserter(lost),
                       [&](std::int64_t item) { return !gather_.schedule.is_finished(item); });
  gather_.schedule.repeats().reissued += dealer_.give_back(rank, lost, now_s());
}

/// Lost ranks may come back, but the farm does not wait for them.
void Coordinator::end_without_workers() {
  if (dealer_.alive() > 0 || gather_.schedule.complete() || stopped_) return;
  if (dealer_.not_retired() > 0) {
    halt("the loss of every rank that has a device");
  } else {
    fail(fmt::format("no device is left{}{}", last_loss_.empty() ? "" : ": ", last_loss_));
  }
}

bool Coordinator::all_ended() {
  if (!routes_.has_several()) return true;
  outbox_.drop_held_up();
  if (!outbox_.empty()) return false;
  const std::vector<int> owners = routes_.ranks();
  const bool is_complete = gather_.schedule.complete() && !failed();
  bool all = true;
  for (int rank = 1; rank < world_.size(); ++rank) {
    Other& that = other(rank);
    // Also to lost ranks: they find the message when they come back.
    if (!std::exchange(that.end_sent, true)) {
      post(rank, {.kind = is_complete ? MessageKind::close : MessageKind::end});
    }
    const bool stores = std::ranges::find(owners, rank) != owners.end();
    all = all && (!stores || that.ended || world_.silent(rank));
  }
  return all;
}

bool Coordinator::all_left() {
  const double heartbeat_timeout_s = kHeartbeatsBehind * world_.heartbeat_timeout_s();
  const bool late =
      stopped_ && heartbeat_timeout_s > 0 && now_s() - stopped_s_ > heartbeat_timeout_s;
  bool all = true;
  for (int rank = 1; rank < world_.size(); ++rank) {
    if (other(rank).left || !world_.present(rank)) continue;
    if (late) world_.leave_behind(rank, "is at work that nobody needs any more; is not waited for");
    all = all && late;
  }
  return all;
}

}  // namespace tessera::farm
