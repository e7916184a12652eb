#include "run/farm.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/bounded_queue.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/stop_request.hpp"
#include "run/agree.hpp"
#include "run/farm_message.hpp"
#include "run/gatherer.hpp"
#include "run/worker_pool.hpp"

namespace tessera::run {
namespace {

using namespace std::chrono_literals;

/// Parcels travel together up to this size, so that a million tiny tiles are not a million
/// messages.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
/// Messages on their way at once; the next batch fills while they travel.
constexpr std::size_t kSendsInFlight = 2;
/// A rank asks for more when its queue holds less than this much time's work.
constexpr double kAheadSeconds = 0.02;

/// How many queued items keep the workers busy until a grant comes back: two a lane, or as many
/// as were finished in the last kAheadSeconds.
class LowWater {
 public:
  std::size_t items(int lanes, std::uint64_t completed) {
    const auto now = base::Clock::now();
    const double elapsed_s = base::seconds_between(since_, now);
    if (elapsed_s >= kAheadSeconds) {
      recent_ = static_cast<std::size_t>(static_cast<double>(completed - completed_) / elapsed_s *
                                         kAheadSeconds);
      completed_ = completed;
      since_ = now;
    }
    return lanes == 0 ? 0 : std::max(2 * static_cast<std::size_t>(lanes), recent_);
  }

 private:
  std::size_t recent_ = 0;
  std::uint64_t completed_ = 0;
  base::Clock::time_point since_ = base::Clock::now();
};

/// MPI wakes nobody, so the thread that talks to it looks every so often; local events wake it.
/// Ranks ask with kAheadSeconds of work in hand, so a look a millisecond is enough unless one is
/// idle.
constexpr std::chrono::microseconds kNap = 1ms;
constexpr std::chrono::microseconds kShortNap = 100us;
constexpr std::chrono::microseconds kNapAlone = 50ms;
/// At its start the gather rank looks more often for so long: until ranks are measured they hold
/// too little to wait for an answer.
constexpr std::chrono::microseconds kStart = 20ms;

/// A rank that is asked to stop finishes what it has begun if that takes no longer.
constexpr auto kLastTiles = 2s;

/// What is begun is finished or, when its time is up, dropped.
class LastTiles {
 public:
  explicit LastTiles(WorkerPool& pool) : pool_(pool) {}

  void begin() {
    pool_.take_back();
    pool_.close();
    until_ = base::Clock::now() + kLastTiles;
  }
  void look() {
    if (base::Clock::now() < until_) return;
    until_ = kNever;
    pool_.abandon();
  }

 private:
  WorkerPool& pool_;
  static constexpr auto kNever = base::Clock::time_point::max();
  base::Clock::time_point until_ = kNever;
};

/// How a farm ended: done, or why it did not.
struct Outcome {
  base::ExitCode code = base::ExitCode::done;
  std::string text;
};

Outcome outcome_of(const Gatherer& gatherer, const plan::Schedule& schedule) {
  if (gatherer.failed()) return {base::ExitCode::failed, gatherer.failure()};
  const std::string halted = gatherer.halted();
  if (halted.empty()) return {};
  return {base::ExitCode::stopped, fmt::format("stopped by {} with {} of {} done", halted,
                                               schedule.finished(), schedule.count())};
}

std::vector<report::ThreadReport> run_gather_rank(comm::World& world, Work& work,
                                                  const FarmLimits& limits, Gather& gather,
                                                  Outcome& outcome) {
  base::Event wake;
  Gatherer gatherer(world, gather, limits, wake);
  WorkerPool pool(work,
                  {.emit = [&](Parcel parcel) { gatherer.deliver(std::move(parcel)); },
                   .progress = [&] { wake.notify(); }},
                  world.origin(), limits.trace);
  LowWater low_water;
  const auto started = base::Clock::now();
  const auto nap = [&] {
    if (gatherer.stopped()) return kShortNap;
    if (world.size() == 1) return kNapAlone;
    return base::Clock::now() - started < kStart ? kShortNap : kNap;
  };
  LastTiles last_tiles(pool);
  bool told = false;
  bool retired = false;
  while (!(gatherer.stopped() && gatherer.all_left() && pool.idle() && world.sending() == 0)) {
    bool busy = gatherer.step();
    if (const std::string local = pool.failure(); !local.empty()) {
      gatherer.fail(world.rank(), world.host(), local);
    }
    if (limits.until && base::Clock::now() > *limits.until) base::request_stop("--max-seconds");
    if (base::stop_requested()) gatherer.halt(base::stop_reason());
    const int lanes = pool.live_lanes();
    if (lanes == 0 && !retired && !gatherer.stopped()) {
      gatherer.retire(world.rank(), world.host(), pool.take_back(), pool.loss());
      retired = busy = true;
    }
    if (!gatherer.stopped() && pool.queued() < low_water.items(lanes, pool.completed())) {
      const auto items = gatherer.take_local(lanes);
      pool.add(items, gatherer.seconds_left());
      busy |= !items.empty();
    }
    if (gatherer.stopped() && !told) {
      gatherer.failed() ? pool.abandon() : pool.close();
      if (!gatherer.halted().empty()) last_tiles.begin();
      told = busy = true;
    }
    last_tiles.look();
    if (!busy) wake.wait_for(nap());
  }
  auto reports = pool.join();
  reports.push_back(gatherer.finish());
  outcome = outcome_of(gatherer, gather.schedule);
  return reports;
}

/// The other ranks' half of a farm.
class Contributor {
 public:
  Contributor(comm::World& world, Work& work, const FarmLimits& limits)
      : world_(world),
        outbox_(limits.outbox_bytes),
        pool_(work,
              {.emit =
                   [this](Parcel parcel) {
                     const std::size_t weight = parcel.body.size();
                     outbox_.push(std::move(parcel), weight);
                     wake_.notify();
                   },
               .progress = [this] { wake_.notify(); }},
              world.origin(), limits.trace) {}

  /// Lets go of workers that wait for room in the outbox, which would otherwise never end.
  ~Contributor() { outbox_.abandon(); }
  Contributor(const Contributor&) = delete;
  Contributor& operator=(const Contributor&) = delete;

  std::vector<report::ThreadReport> run() {
    while (!(stopped_ && pool_.idle() && outbox_.empty() && !held_ && world_.sending() == 0)) {
      bool busy = receive();
      busy |= report_failure();
      busy |= report_stop();
      last_tiles_.look();
      busy |= retire();
      busy |= ask();
      busy |= send();
      if (!busy) wake_.wait_for(pool_.queued() == 0 || stopped_ ? kShortNap : kNap);
    }
    world_.post(0, comm::Channel::control, encode({.verb = Verb::left}));
    while (world_.sending() != 0) wake_.wait_for(kShortNap);
    return pool_.join();
  }

 private:
  bool receive() {
    bool any = false;
    // Behind `stop` or `abort` there may already be messages of the next farm.
    while (!stopped_) {
      const auto message = world_.poll(comm::Channel::control);
      if (!message) break;
      any = true;
      const ControlMessage control = decode_control(message->body);
      if (control.verb == Verb::grant) {
        pool_.add(control.items, control.left_s);
        asked_ = false;
      } else if (control.verb == Verb::stop) {
        stopped_ = true;
        pool_.close();
      } else if (control.verb == Verb::halt) {
        base::request_stop("another rank");  // and this one does not stay for ever either
        stopped_ = true;
        last_tiles_.begin();
      } else if (control.verb == Verb::abort) {
        stopped_ = true;
        outbox_.abandon();
        held_.reset();
        pool_.abandon();
      }
    }
    return any;
  }

  bool report_failure() {
    if (failed_) return false;
    const std::string failure = pool_.failure();
    if (failure.empty()) return false;
    failed_ = true;
    world_.post(0, comm::Channel::control,
                encode({.verb = Verb::failure, .text = world_.host() + "\n" + failure}));
    return true;
  }

  bool report_stop() {
    if (told_to_stop_ || stopped_ || !base::stop_requested()) return false;
    told_to_stop_ = true;
    world_.post(0, comm::Channel::control,
                encode({.verb = Verb::halt, .text = base::stop_reason()}));
    return true;
  }

  /// Without a lane this rank hands back what it has, and what it may still be given, and stays
  /// until the others are done.
  bool retire() {
    if (stopped_ || failed_ || pool_.live_lanes() > 0) return false;
    ControlMessage message{.verb = Verb::retire, .items = pool_.take_back()};
    if (retired_ && message.items.empty()) return false;
    retired_ = true;
    message.text = world_.host() + "\n" + pool_.loss();
    world_.post(0, comm::Channel::control, encode(message));
    return true;
  }

  bool ask() {
    const int lanes = pool_.live_lanes();
    if (asked_ || stopped_ || failed_ || retired_) return false;
    if (pool_.queued() >= low_water_.items(lanes, pool_.completed())) return false;
    asked_ = true;
    world_.post(0, comm::Channel::control, encode({.verb = Verb::want, .lanes = lanes}));
    return true;
  }

  /// One message of what is there; a parcel that does not fit in goes first into the next.
  bool send() {
    if (world_.sending() >= kSendsInFlight) return false;
    base::ByteWriter batch;
    for (;;) {
      if (!held_) held_ = outbox_.try_pop();
      if (!held_) break;
      if (batch.size() > 0 && batch.size() + held_->body.size() > kBatchBytes) break;
      append(batch, *held_);
      held_.reset();
    }
    if (batch.size() == 0) return false;
    world_.post(0, comm::Channel::bulk, batch.take());
    return true;
  }

  comm::World& world_;
  base::Event wake_;
  base::BoundedQueue<Parcel> outbox_;
  std::optional<Parcel> held_;  ///< taken from the outbox, not sent yet
  WorkerPool pool_;
  LastTiles last_tiles_{pool_};
  LowWater low_water_;
  bool asked_ = false;
  bool failed_ = false;
  bool retired_ = false;
  bool told_to_stop_ = false;
  bool stopped_ = false;
};

}  // namespace

std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const FarmLimits& limits,
                                           Gather* gather) {
  Outcome outcome;
  auto reports = gather ? run_gather_rank(world, work, limits, *gather, outcome)
                        : Contributor(world, work, limits).run();
  // Also keeps a rank that is early from asking for items of the next farm while the gather rank
  // still listens for the last words of this one.
  const base::Bytes told =
      world.broadcast(base::ByteWriter().put(outcome.code).put_text(outcome.text).take());
  base::ByteReader in(told);
  outcome.code = in.get<base::ExitCode>();
  if (outcome.code != base::ExitCode::done) throw AgreedError(outcome.code, in.get_text());
  return reports;
}

}  // namespace tessera::run
