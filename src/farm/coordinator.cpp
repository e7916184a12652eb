#include "farm/coordinator.hpp"

#include <algorithm>
#include <map>

#include "base/run.hpp"

namespace tessera::farm {

Coordinator::Coordinator(comm::World& world, Gather& gather, const Storing& storing,
                         const FarmLimits& limits, base::Event& wake)
    : world_(world),
      gather_(gather),
      farm_(world.next_number()),
      origin_(world.origin()),
      live_(limits.live),
      routes_(storing.parts),
      wake_(wake),
      inbox_(world, *storing.sink, farm_, limits, wake),
      outbox_(world, routes_, farm_, limits.outbox_bytes),
      dealer_(gather.schedule, world.size()),
      others_(static_cast<std::size_t>(world.size())),
      seen_changes_(world.changes()) {
  for (int rank = 1; rank < world_.size(); ++rank) check_rank(rank);
}

void Coordinator::deliver(Result result) {
  if (routes_.rank_of(result.front().item) == world_.rank()) return inbox_.push(std::move(result));
  outbox_.push(std::move(result));
  wake_.notify();
}

void Coordinator::fail(int rank, const std::string& host, const std::string& text) {
  fail(world_.size() == 1 ? text : fmt::format("rank {} on {}: {}", rank, host, text));
}

void Coordinator::fail(const std::string& text) {
  if (failed()) return;
  failure_ = text;
  inbox_.abandon();
  if (!stopped_) stop(MessageKind::abort);
}

bool Coordinator::step() {
  bool busy = receive_control();
  busy |= inbox_.receive();
  busy |= outbox_.send();
  busy |= collect_stored();
  busy |= check_ranks();
  give_parts_again();
  busy |= assign_to_pending_requests();
  send_recalls();
  if (gather_.progress) gather_.progress(gather_.schedule, dealer_);
  world_.pending_sends();
  return busy;
}

void Coordinator::post(int rank, ControlMessage message) {
  message.farm = farm_;
  world_.isend(rank, comm::Channel::control, base::to_bytes(message));
}

bool Coordinator::receive_control() {
  bool any = false;
  while (auto message = world_.try_receive(comm::Channel::control)) {
    any = true;
    const ControlMessage control = base::from_bytes<ControlMessage>(message->body);
    if (control.farm != farm_) continue;  // from a rank that was left behind
    world_.rejoin(message->source);
    listen(message->source, control);
  }
  return any;
}

void Coordinator::listen(int rank, const ControlMessage& control) {
  const auto colon = std::min(control.text.find('\n'), control.text.size());
  const std::string host = control.text.substr(0, colon);
  const std::string what = colon < control.text.size() ? control.text.substr(colon + 1) : "";
  if (control.kind == MessageKind::want) pending_requests_.push_back({rank, control.lanes});
  if (live_ && control.memory_bytes > 0) live_->set_memory(rank, control.memory_bytes);
  if (live_ && base::is_told(control.power_w)) live_->set_power(rank, control.power_w);
  if (control.kind == MessageKind::returned) end_recall(rank, control.items);
  if (control.kind == MessageKind::halt) {
    base::this_run().stop.request("another rank");
    halt(fmt::format("{} to rank {}", control.text, rank));
  }
  if (control.kind == MessageKind::failure) fail(rank, host, what);
  if (control.kind == MessageKind::retire) retire(rank, host, control.items, what);
  if (control.kind == MessageKind::progress) set_started(rank, control.started);
  if (control.kind == MessageKind::left) other(rank).left = true;
  if (control.kind == MessageKind::ended) other(rank).ended = true;
  take_stored(control.stored, control.again);
  if (control.kind == MessageKind::adopted) move_parts(control.items, rank);
  if (control.kind == MessageKind::unadopted) {
    wait_for_part(static_cast<std::size_t>(control.items.at(0)), control.text);
  }
  if (control.kind == MessageKind::unsent) take_unsent(rank, control.items);
}

bool Coordinator::collect_stored() {
  const ResultWriter::Events events = inbox_.collect();
  if (!events.failure.empty()) fail(world_.rank(), world_.host(), events.failure);
  take_stored(events.stored, events.again);
  for (const auto& [part, why] : events.unadopted) wait_for_part(part, why);
  if (!events.adopted.empty()) {
    move_parts({events.adopted.begin(), events.adopted.end()}, world_.rank());
  }
  if (gather_.schedule.complete() && !stopped_) stop(MessageKind::stop);
  return !events.stored.empty();
}

void Coordinator::take_stored(const std::vector<StoredItem>& stored, std::int64_t again) {
  gather_.schedule.repeats().answered_again += again;
  if (stored.empty()) return;
  const double now = now_s();
  std::map<int, std::vector<std::int64_t>> in_vain;
  for (const StoredItem& what : stored) {
    if (gather_.schedule.is_finished(what.item)) continue;  // in a part that was adopted
    for (const int holder : dealer_.finish(what.rank, what.item, now)) {
      in_vain[holder].push_back(what.item);
    }
    if (live_) {
      live_->store(what.item,
                   {.rank = what.rank, .start_s = what.start_s, .seconds = what.seconds});
    }
  }
  for (auto& [rank, items] : in_vain) drop(rank, std::move(items));
  gather_.schedule.set_started_cost(started_.cost(gather_.schedule));
}

void Coordinator::drop(int rank, std::vector<std::int64_t> items) {
  if (rank != world_.rank())
    return post(rank, {.kind = MessageKind::drop, .items = std::move(items)});
  local_drops_.insert(local_drops_.end(), items.begin(), items.end());
}

bool Coordinator::assign_to_pending_requests() {
  bool any = false;
  const double now = now_s();
  for (auto asking = pending_requests_.begin(); asking != pending_requests_.end() && !stopped_;) {
    const auto [rank, lanes] = *asking;
    ControlMessage grant{.kind = MessageKind::grant, .items = dealer_.deal(rank, lanes, now)};
    if (grant.items.empty()) {
      ++asking;  // the rank is lost, or others will finish the remaining items earlier
      continue;
    }
    grant.left_s = dealer_.seconds_left(now);
    post(rank, std::move(grant));
    asking = pending_requests_.erase(asking);
    any = true;
  }
  return any;
}

void Coordinator::send_recalls() {
  for (const int rank : dealer_.take_recalls()) {
    if (rank == world_.rank()) {
      local_recall_ = true;
    } else {
      post(rank, {.kind = MessageKind::recall});
    }
  }
}

report::ThreadReport Coordinator::finish() {
  report::ThreadReport report = inbox_.finish(gather_.schedule.complete() && !failed());
  collect_stored();
  return report;
}

}  // namespace tessera::farm
