// The Coordinator's members that decide which ranks take part, and when the farm is over.
#include <algorithm>

#include "farm/coordinator.hpp"

namespace tessera::farm {
namespace {

/// How long, in heartbeats, other ranks wait for a rank that is busy with work that nobody needs.
/// They wait because mpirun may kill the job when ranks leave without MPI_Finalize.
constexpr double kHeartbeatsBehind = 3;

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
    if (auto items = dealer_.regain(rank, now_s()); !items.empty()) drop(rank, std::move(items));
    return;
  }
  if (!std::exchange(that.lost, true)) {
    dealer_.lose(rank, now_s());
    if (parts_.has(rank)) lose_part(rank);
  }
  // Without this question, it might send nothing in this farm.
  const bool silent = world_.silent(rank);
  if (!silent && !that.greeted) post(rank, {.kind = MessageKind::hello});
  that.greeted = !silent;
}

/// What the rank has stored is found by the next run.
void Coordinator::lose_part(int rank) {
  for (int other = 1; other < world_.size(); ++other) {
    post(other, {.kind = MessageKind::lost, .items = {rank}});
  }
  halt(fmt::format("the loss of rank {}, which stores a part", rank));
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
  if (!outbox_.empty()) return false;
  bool all = true;
  for (const int rank : parts_.ranks) {
    if (rank == world_.rank() || !world_.present(rank)) continue;
    if (!end_sent_) post(rank, {.kind = MessageKind::end});
    all = all && other(rank).ended;
  }
  end_sent_ = true;
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
