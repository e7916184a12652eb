#include "farm/worker_rank.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/event.hpp"
#include "base/run.hpp"
#include "farm/messages.hpp"
#include "farm/poll_interval.hpp"
#include "farm/request_threshold.hpp"
#include "farm/result_inbox.hpp"
#include "farm/result_outbox.hpp"
#include "farm/started_items.hpp"
#include "farm/thread_reports.hpp"
#include "farm/worker_pool.hpp"

namespace tessera::farm {
namespace {

/// Requests items, lets the workers compute them and sends the results. It may store a part of the
/// farm's results, too.
class WorkerRank {
 public:
  WorkerRank(comm::World& world, Work& work, const Storing& storing, const FarmLimits& limits)
      : world_(world),
        farm_(world.next_number()),
        routes_(storing.parts),
        outbox_(world, routes_, farm_, limits.outbox_bytes),
        pool_(work,
              {.send_result = [this](Result result) { deliver(std::move(result)); },
               .progress = [this] { wake_.notify(); }},
              world.origin(), limits.trace) {
    if (storing.sink) inbox_.emplace(world, *storing.sink, farm_, limits, wake_);
  }
  /// Releases workers that wait for room, which would otherwise never end.
  ~WorkerRank() {
    outbox_.abandon();
    if (inbox_) inbox_->abandon();
  }

  std::vector<report::ThreadReport> run() {
    while (!done()) {
      bool busy = receive();
      busy |= report_failure(pool_.failure());
      busy |= report_stop();
      report_started();
      pool_.enforce_grace();
      pool_.admit();
      busy |= retire();
      busy |= ask();
      busy |= outbox_.send();
      busy |= store();
      busy |= leave();
      if (!busy) wake_.wait_for(poll_interval());
    }
    auto reports = pool_.join();
    std::ranges::move(writers_, std::back_inserter(reports));
    return reports;
  }

 private:
  bool receive() {
    bool any = false;
    // The message that ends this farm may be followed by messages of the next one.
    while (inbox_ ? !end_ : !stopped_) {
      const auto message = world_.try_receive(comm::Channel::control);
      if (!message) break;
      any = true;
      const ControlMessage control = base::from_bytes<ControlMessage>(message->body);
      if (control.farm == farm_) obey(control);
    }
    return any;
  }
  void obey(const ControlMessage& control) {
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
    } else if (control.kind == MessageKind::end || control.kind == MessageKind::close) {
      end_ = true;
      complete_ = control.kind == MessageKind::close;
    } else if (control.kind == MessageKind::lost) {
      world_.leave_behind(control.rank, "is lost");
      outbox_.hold(control.rank, true);
    } else if (control.kind == MessageKind::back) {
      world_.rejoin(control.rank);
      outbox_.hold(control.rank, false);
    } else if (control.kind == MessageKind::adopt) {
      for (const std::int64_t part : control.items) inbox_->adopt(static_cast<std::size_t>(part));
    } else if (control.kind == MessageKind::moved) {
      take_back(control);
    } else {
      if (inbox_ && control.kind == MessageKind::abort) inbox_->abandon();
      // Everything is stored already, or nothing more will be.
      leave_at_once();
    }
  }
  void leave_at_once() {
    stopped_ = true;
    outbox_.abandon();
    pool_.abandon();
  }
  bool report_failure(const std::string& failure) {
    if (failed_ || failure.empty()) return false;
    failed_ = true;
    post({.kind = MessageKind::failure, .text = world_.host() + "\n" + failure});
    return true;
  }
  std::chrono::microseconds poll_interval() const {
    if (inbox_ && world_.receiving(comm::Channel::bulk)) return kNoPollInterval;
    return pool_.queued() == 0 || stopped_ ? kShortPollInterval : kPollInterval;
  }
  bool report_stop() {
    if (stop_reported_ || stopped_ || !base::stop_requested()) return false;
    stop_reported_ = true;
    post({.kind = MessageKind::halt, .text = base::this_run().stop.reason()});
    return true;
  }
  void report_started() {
    if (stopped_ || failed_ || !started_timer_.due()) return;
    std::vector<ItemProgress> started = pool_.in_progress();
    if (started == told_started_) return;
    told_started_ = started;
    post({.kind = MessageKind::progress, .started = std::move(started)});
  }
  /// If no lane is left, returns the queued items, and those that are assigned later, and stays
  /// until the other ranks are done.
  bool retire() {
    if (stopped_ || failed_ || pool_.live_lanes() > 0) return false;
    ControlMessage message{.kind = MessageKind::retire, .items = pool_.take_back()};
    if (retired_ && message.items.empty()) return false;
    retired_ = true;
    message.text = world_.host() + "\n" + pool_.loss();
    post(std::move(message));
    return true;
  }
  bool ask() {
    const int lanes = pool_.live_lanes();
    if (asked_ || stopped_ || failed_ || retired_) return false;
    if (pool_.queued() >= request_threshold_.items(lanes, pool_.completed())) return false;
    asked_ = true;
    post({.kind = MessageKind::want,
          .lanes = lanes,
          .memory_bytes = resident_bytes(),
          .power_w = pool_.power_w()});
    return true;
  }
  /// Once nothing of this rank's own is left to send.
  bool leave() {
    if (stopped_) outbox_.drop_held_up();
    if (left_ || !stopped_ || !pool_.idle() || !outbox_.empty() || world_.pending_sends() != 0)
      return false;
    left_ = true;
    post({.kind = MessageKind::left});
    return true;
  }
  /// Other ranks may send to a rank that stores a part until all have left.
  bool store() {
    if (!inbox_ || ended_) return false;
    bool busy = inbox_->receive();
    if (end_) writers_.push_back(inbox_->finish(complete_));
    ResultWriter::Events events = inbox_->collect();
    if (!events.failure.empty()) report_failure(events.failure);
    for (const auto& [part, why] : events.unadopted) {
      post({.kind = MessageKind::unadopted,
            .items = {static_cast<std::int64_t>(part)},
            .text = why});
    }
    if (!events.adopted.empty()) {
      post({.kind = MessageKind::adopted,
            .items = {events.adopted.begin(), events.adopted.end()},
            .stored = std::exchange(events.stored, {})});
    }
    if (end_ || !events.stored.empty() || events.again > 0) {
      post({.kind = end_ ? MessageKind::ended : MessageKind::stored,
            .stored = std::move(events.stored),
            .again = events.again});
      busy = true;
    }
    ended_ = end_;
    return busy;
  }
  /// Results of the parts go to another rank now. Those that were sent before may be lost.
  void take_back(const ControlMessage& control) {
    std::vector<std::int64_t> items;
    for (const std::int64_t number : control.items) {
      const auto part = static_cast<std::size_t>(number);
      const int lost = routes_.ranks()[part];
      routes_.move(part, control.rank);
      std::ranges::copy(outbox_.take_back(part, lost), std::back_inserter(items));
    }
    if (!items.empty()) post({.kind = MessageKind::unsent, .items = std::move(items)});
  }
  /// Called by worker threads.
  void deliver(Result result) {
    if (inbox_ && routes_.rank_of(result.front().item) == world_.rank()) {
      return inbox_->push(std::move(result));
    }
    outbox_.push(std::move(result));
    wake_.notify();
  }
  bool done() { return left_ && (!inbox_ || ended_) && world_.pending_sends() == 0; }
  void post(ControlMessage message) {
    message.farm = farm_;
    world_.isend(0, comm::Channel::control, base::to_bytes(message));
  }

  comm::World& world_;
  std::uint32_t farm_;
  base::Event wake_;
  Routes routes_;
  ResultOutbox outbox_;
  std::optional<ResultInbox> inbox_;  ///< of a rank that stores a part
  WorkerPool pool_;
  RequestThreshold request_threshold_;
  StartedTimer started_timer_;
  std::vector<ItemProgress> told_started_;
  bool asked_ = false;
  bool failed_ = false;
  bool retired_ = false;
  bool stop_reported_ = false;
  bool stopped_ = false;
  bool left_ = false;
  bool end_ = false;  ///< the part gets no more results
  bool complete_ = false;
  bool ended_ = false;  ///< the part is stored
  std::vector<report::ThreadReport> writers_;
};

}  // namespace

std::vector<report::ThreadReport> run_worker_rank(comm::World& world, Work& work,
                                                  const Storing& storing,
                                                  const FarmLimits& limits) {
  return WorkerRank(world, work, storing, limits).run();
}

}  // namespace tessera::farm
