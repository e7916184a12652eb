#include "run/gatherer.hpp"

#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace tessera::run {

Gatherer::Gatherer(comm::World& world, Gather& gather, const FarmLimits& limits, base::Event& wake)
    : world_(world),
      gather_(gather),
      wake_(wake),
      origin_(world.origin()),
      trace_(limits.trace),
      inbox_(limits.inbox_bytes) {
  writer_report_.name = "writer";
  writer_ = std::thread([this] { write_parcels(); });
}

Gatherer::~Gatherer() {
  inbox_.abandon();
  if (writer_.joinable()) writer_.join();
}

void Gatherer::deliver(Parcel parcel) {
  const std::size_t weight = parcel.body.size();
  inbox_.push(std::move(parcel), weight);
}

void Gatherer::write_parcels() {
  try {
    while (auto parcel = inbox_.pop()) {
      const std::int64_t item = parcel->item;
      const bool last = parcel->last;
      const auto start = base::Clock::now();
      gather_.sink.put(std::move(*parcel));
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
      stored_.push_back(item);
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
  if (failed()) return;
  failure_ = world_.size() == 1 ? text : fmt::format("rank {} on {}: {}", rank, host, text);
  inbox_.abandon();
  if (!stopped_) stop(Verb::abort);
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
    if (control.verb == Verb::failure) {
      const auto colon = control.text.find('\n');  // host, then what happened
      fail(message->source, control.text.substr(0, colon), control.text.substr(colon + 1));
    }
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
      inbox_.push_over(std::move(parcel), weight);
    }
  }
  return any;
}

bool Gatherer::collect_stored() {
  std::vector<std::int64_t> stored;
  std::string writer_failure;
  {
    std::scoped_lock lock(mutex_);
    stored.swap(stored_);
    writer_failure = writer_failure_;
  }
  if (!writer_failure.empty()) fail(world_.rank(), world_.host(), writer_failure);
  for (const std::int64_t item : stored) gather_.schedule.finish(item);
  if (!stored.empty() && gather_.progress) gather_.progress(gather_.schedule);
  if (gather_.schedule.complete() && !stopped_) stop(Verb::stop);
  return !stored.empty();
}

bool Gatherer::serve_hungry() {
  bool any = false;
  while (!stopped_ && !hungry_.empty()) {
    const auto [rank, lanes] = hungry_.front();
    ControlMessage grant{.verb = Verb::grant, .items = gather_.schedule.take(lanes)};
    if (grant.items.empty()) break;
    world_.post(rank, comm::Channel::control, encode(grant));
    hungry_.pop_front();
    any = true;
  }
  return any;
}

report::ThreadReport Gatherer::finish() {
  inbox_.close();
  writer_.join();
  return std::move(writer_report_);
}

}  // namespace tessera::run
