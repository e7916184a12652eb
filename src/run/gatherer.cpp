#include "run/gatherer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "report/profiler_range.hpp"

namespace tessera::run {

Gatherer::Gatherer(comm::World& world, Gather& gather, const FarmLimits& limits, base::Event& wake)
    : world_(world),
      gather_(gather),
      wake_(wake),
      origin_(world.origin()),
      trace_(limits.trace),
      inbox_(limits.inbox_bytes),
      dealer_(gather.schedule, world.size()) {
  writer_report_.name = "writer";
  writer_ = std::thread([this] { write_parcels(); });
}

Gatherer::~Gatherer() {
  inbox_.abandon();
  if (writer_.joinable()) writer_.join();
}

void Gatherer::deliver(Parcel parcel) {
  const std::size_t weight = parcel.body.size();
  inbox_.push({world_.rank(), std::move(parcel)}, weight);
}

void Gatherer::write_parcels() {
  try {
    while (auto received = inbox_.pop()) {
      const std::int64_t item = received->parcel.item;
      const bool last = received->parcel.last;
      const auto start = base::Clock::now();
      gather_.sink.put(std::move(received->parcel));
      const auto end = base::Clock::now();
      writer_report_.seconds[static_cast<std::size_t>(report::Stage::write)] +=
          base::seconds_between(start, end);
      if (trace_) {
        report::add_span(writer_report_,
                         {report::Stage::write, item, base::seconds_between(origin_, start),
                          base::seconds_between(origin_, end)});
      }
      if (!last) continue;
      std::scoped_lock lock(mutex_);
      stored_.emplace_back(received->rank, item);
      wake_.notify();
    }
  } catch (const std::exception& error) {
    inbox_.abandon();
    std::scoped_lock lock(mutex_);
    writer_failure_ = error.what();
    wake_.notify();
  }
}

void Gatherer::fail(int rank, const std::string& host, const std::string& text) {
  fail(world_.size() == 1 ? text : fmt::format("rank {} on {}: {}", rank, host, text));
}

void Gatherer::fail(const std::string& text) {
  if (failed()) return;
  failure_ = text;
  inbox_.abandon();
  if (!stopped_) stop(Verb::abort);
}

void Gatherer::retire(int rank, const std::string& host, const std::vector<std::int64_t>& items,
                      const std::string& why) {
  dealer_.give_back(rank, items, now_s());
  dealer_.retire(rank);
  std::erase_if(hungry_, [&](const auto& asking) { return asking.first == rank; });
  if (!why.empty()) {
    last_loss_ = world_.size() == 1 ? why : fmt::format("rank {} on {}: {}", rank, host, why);
  }
  if (dealer_.alive() > 0 || gather_.schedule.complete()) return;
  fail(fmt::format("no device is left{}{}", last_loss_.empty() ? "" : ": ", last_loss_));
}

void Gatherer::halt(const std::string& why) {
  if (stopped_) return;
  halted_ = why;
  stop(Verb::halt);
}

void Gatherer::stop(Verb verb) {
  stopped_ = true;
  for (int rank = 1; rank < world_.size(); ++rank) {
    world_.post(rank, comm::Channel::control, encode({.verb = verb}));
  }
}

bool Gatherer::step() {
  bool busy = receive_control();
  busy |= receive_bulk();
  busy |= collect_stored();
  busy |= serve_hungry();
  world_.sending();
  return busy;
}

bool Gatherer::receive_control() {
  bool any = false;
  while (auto message = world_.poll(comm::Channel::control)) {
    any = true;
    const ControlMessage control = decode_control(message->body);
    if (control.verb == Verb::want) hungry_.emplace_back(message->source, control.lanes);
    const auto colon = std::min(control.text.find('\n'), control.text.size());
    const std::string host = control.text.substr(0, colon);
    const std::string what = colon < control.text.size() ? control.text.substr(colon + 1) : "";
    if (control.verb == Verb::halt) {
      base::request_stop("another rank");
      halt(fmt::format("{} to rank {}", control.text, message->source));
    }
    if (control.verb == Verb::failure) fail(message->source, host, what);
    if (control.verb == Verb::retire) retire(message->source, host, control.items, what);
    if (control.verb == Verb::left) ++left_;
  }
  return any;
}

bool Gatherer::receive_bulk() {
  bool any = false;
  // Left in MPI's hands while the writer is behind: that holds back the senders.
  while (failed() || !inbox_.full()) {
    auto message = world_.poll(comm::Channel::bulk);
    if (!message) break;
    any = true;
    if (failed()) continue;
    for (Parcel& parcel : decode_parcels(message->body)) {
      const std::size_t weight = parcel.body.size();
      inbox_.push_over({message->source, std::move(parcel)}, weight);
    }
  }
  return any;
}

bool Gatherer::collect_stored() {
  std::vector<std::pair<int, std::int64_t>> stored;
  std::string writer_failure;
  {
    std::scoped_lock lock(mutex_);
    stored.swap(stored_);
    writer_failure = writer_failure_;
  }
  if (!writer_failure.empty()) fail(world_.rank(), world_.host(), writer_failure);
  const double now = now_s();
  for (const auto& [rank, item] : stored) {
    dealer_.finish(rank, item, now);
    gather_.schedule.finish(item);
  }
  if (!stored.empty() && gather_.progress) gather_.progress(gather_.schedule);
  if (gather_.schedule.complete() && !stopped_) stop(Verb::stop);
  return !stored.empty();
}

bool Gatherer::serve_hungry() {
  bool any = false;
  const double now = now_s();
  for (auto asking = hungry_.begin(); asking != hungry_.end() && !stopped_;) {
    if (!gather_.schedule.available()) break;
    const auto [rank, lanes] = *asking;
    ControlMessage grant{.verb = Verb::grant, .items = dealer_.deal(rank, lanes, now)};
    if (grant.items.empty()) {
      ++asking;  // others are sooner done with what is left
      continue;
    }
    grant.left_s = dealer_.seconds_left(now);
    world_.post(rank, comm::Channel::control, encode(grant));
    asking = hungry_.erase(asking);
    any = true;
  }
  return any;
}

report::ThreadReport Gatherer::finish() {
  inbox_.close();
  writer_.join();
  collect_stored();
  return std::move(writer_report_);
}

}  // namespace tessera::run
