#include "farm/worker_rank.hpp"

#include <utility>

#include "base/run.hpp"
#include "farm/poll_interval.hpp"
#include "farm/thread_reports.hpp"

namespace tessera::farm {
namespace {

/// Results are combined into messages of up to this size, so that a million tiny tiles do not need
/// a million messages.
// crossed by: test_as_many_as_travel_in_a_message, many_parcels_share_a_message
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
/// The chunks of one result are sent in several messages only if MPI could not send them together.
// not crossed: takes a GiB
constexpr std::size_t kMaxBytes = std::size_t{3} << 29;
/// Messages in flight; the next batch is filled meanwhile.
constexpr std::size_t kSendsInFlight = 2;

}  // namespace

WorkerRank::WorkerRank(comm::World& world, Work& work, const FarmLimits& limits)
    : world_(world),
      farm_(world.next_number()),
      outbox_(limits.outbox_bytes),
      pool_(work,
            {.send_result =
                 [this](Result result) {
                   const std::size_t weight = weight_of(result);
                   outbox_.push(std::move(result), weight);
                   wake_.notify();
                 },
             .progress = [this] { wake_.notify(); }},
            world.origin(), limits.trace) {}

std::vector<report::ThreadReport> WorkerRank::run() {
  while (!(stopped_ && pool_.idle() && outbox_.empty() && !held_ && world_.pending_sends() == 0)) {
    bool busy = receive();
    busy |= report_failure();
    busy |= report_stop();
    report_started();
    pool_.enforce_grace();
    pool_.admit();
    busy |= retire();
    busy |= ask();
    busy |= send();
    if (!busy) wake_.wait_for(pool_.queued() == 0 || stopped_ ? kShortPollInterval : kPollInterval);
  }
  post({.kind = MessageKind::left});
  while (world_.pending_sends() != 0) wake_.wait_for(kShortPollInterval);
  return pool_.join();
}

void WorkerRank::post(ControlMessage message) {
  message.farm = farm_;
  world_.isend(0, comm::Channel::control, base::to_bytes(message));
}

bool WorkerRank::receive() {
  bool any = false;
  // The message that ends this farm may be followed by messages of the next one.
  while (!stopped_) {
    const auto message = world_.try_receive(comm::Channel::control);
    if (!message) break;
    any = true;
    const ControlMessage control = base::from_bytes<ControlMessage>(message->body);
    if (control.farm == farm_) obey(control);
  }
  return any;
}

void WorkerRank::obey(const ControlMessage& control) {
  if (control.kind == MessageKind::grant) {
    pool_.add(control.items, control.left_s);
    asked_ = false;
  } else if (control.kind == MessageKind::drop) {
    pool_.drop(control.items);
  } else if (control.kind == MessageKind::recall) {
    post({.kind = MessageKind::returned, .items = pool_.take_back()});
  } else if (control.kind == MessageKind::hello) {
    post({.kind = MessageKind::here});
  } else if (control.kind == MessageKind::halt) {
    base::this_run().stop.request("another rank");  // so that this rank stops, too
    stopped_ = true;
    pool_.wind_down();
  } else {
    // Everything is stored already, or nothing more will be.
    leave_at_once();
  }
}

void WorkerRank::leave_at_once() {
  stopped_ = true;
  outbox_.abandon();
  held_.reset();
  pool_.abandon();
}

bool WorkerRank::report_failure() {
  if (failed_) return false;
  const std::string failure = pool_.failure();
  if (failure.empty()) return false;
  failed_ = true;
  post({.kind = MessageKind::failure, .text = world_.host() + "\n" + failure});
  return true;
}

bool WorkerRank::report_stop() {
  if (stop_reported_ || stopped_ || !base::stop_requested()) return false;
  stop_reported_ = true;
  post({.kind = MessageKind::halt, .text = base::this_run().stop.reason()});
  return true;
}

void WorkerRank::report_started() {
  if (stopped_ || failed_ || !started_timer_.due()) return;
  std::vector<ItemProgress> started = pool_.in_progress();
  if (started == told_started_) return;
  told_started_ = started;
  post({.kind = MessageKind::progress, .started = std::move(started)});
}

/// If no lane is left, returns the queued items, and those that are assigned later, and stays until
/// the other ranks are done.
bool WorkerRank::retire() {
  if (stopped_ || failed_ || pool_.live_lanes() > 0) return false;
  ControlMessage message{.kind = MessageKind::retire, .items = pool_.take_back()};
  if (retired_ && message.items.empty()) return false;
  retired_ = true;
  message.text = world_.host() + "\n" + pool_.loss();
  post(std::move(message));
  return true;
}

bool WorkerRank::ask() {
  const int lanes = pool_.live_lanes();
  if (asked_ || stopped_ || failed_ || retired_) return false;
  if (pool_.queued() >= request_threshold_.items(lanes, pool_.completed())) return false;
  asked_ = true;
  post({.kind = MessageKind::want, .lanes = lanes, .memory_bytes = resident_bytes()});
  return true;
}

/// Sends one message with the results that are ready; a result that does not fit becomes the first
/// of the next message.
bool WorkerRank::send() {
  if (world_.pending_sends() >= kSendsInFlight) return false;
  base::ByteWriter batch = begin_bulk(farm_);
  const std::size_t empty = batch.size();
  for (;;) {
    if (!held_) held_ = outbox_.try_pop();
    if (!held_) break;
    if (batch.size() > empty && batch.size() + weight_of(*held_) > kBatchBytes) break;
    for (const ResultChunk& result_chunk : *held_) {
      if (batch.size() > empty && batch.size() + result_chunk.body.size() > kMaxBytes) {
        world_.isend(0, comm::Channel::bulk, std::exchange(batch, begin_bulk(farm_)).take());
      }
      append(batch, result_chunk);
    }
    held_.reset();
  }
  if (batch.size() == empty) return false;
  world_.isend(0, comm::Channel::bulk, batch.take());
  return true;
}

}  // namespace tessera::farm
