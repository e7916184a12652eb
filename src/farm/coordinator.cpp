#include "farm/coordinator.hpp"

#include <algorithm>
#include <map>

#include "base/stop_request.hpp"

namespace tessera::farm {

Gatherer::Gatherer(comm::World& world, Gather& gather, const FarmLimits& limits, base::Event& wake)
    : world_(world),
      gather_(gather),
      farm_(world.next_number()),
      origin_(world.origin()),
      writer_(gather.sink, gather.schedule.count(), limits, origin_, wake),
      dealer_(gather.schedule, world.size()),
      others_(static_cast<std::size_t>(world.size())),
      seen_changes_(world.changes()) {
  for (int rank = 1; rank < world_.size(); ++rank) look_for(rank);
}

void Gatherer::fail(int rank, const std::string& host, const std::string& text) {
  fail(world_.size() == 1 ? text : fmt::format("rank {} on {}: {}", rank, host, text));
}

void Gatherer::fail(const std::string& text) {
  if (failed()) return;
  failure_ = text;
  writer_.abandon();
  if (!stopped_) stop(Verb::abort);
}

bool Gatherer::step() {
  bool busy = receive_control();
  busy |= receive_bulk();
  busy |= collect_stored();
  busy |= look_for_ranks();
  busy |= serve_hungry();
  world_.sending();
  return busy;
}

void Gatherer::post(int rank, ControlMessage message) {
  message.farm = farm_;
  world_.post(rank, comm::Channel::control, encode(message));
}

bool Gatherer::receive_control() {
  bool any = false;
  while (auto message = world_.poll(comm::Channel::control)) {
    any = true;
    const ControlMessage control = decode_control(message->body);
    if (control.farm != farm_) continue;  // of a rank that was left behind
    world_.rejoin(message->source);
    listen(message->source, control);
  }
  return any;
}

void Gatherer::listen(int rank, const ControlMessage& control) {
  const auto colon = std::min(control.text.find('\n'), control.text.size());
  const std::string host = control.text.substr(0, colon);
  const std::string what = colon < control.text.size() ? control.text.substr(colon + 1) : "";
  if (control.verb == Verb::want) hungry_.push_back({rank, control.lanes});
  if (control.verb == Verb::halt) {
    base::request_stop("another rank");
    halt(fmt::format("{} to rank {}", control.text, rank));
  }
  if (control.verb == Verb::failure) fail(rank, host, what);
  if (control.verb == Verb::retire) retire(rank, host, control.items, what);
  if (control.verb == Verb::left) other(rank).left = true;
}

bool Gatherer::receive_bulk() {
  bool any = false;
  // Left in MPI's hands while the writer is behind: that holds back the senders.
  while (failed() || !writer_.full()) {
    auto message = world_.poll(comm::Channel::bulk);
    if (!message) break;
    any = true;
    BulkMessage bulk = decode_bulk(message->body);
    if (bulk.farm != farm_) continue;
    world_.rejoin(message->source);
    if (!failed()) receive_parcels(message->source, std::move(bulk.parcels));
  }
  return any;
}

void Gatherer::receive_parcels(int rank, std::vector<Parcel> parcels) {
  Result& half = other(rank).half;
  for (Parcel& parcel : parcels) {
    const bool last = parcel.last;
    half.push_back(std::move(parcel));
    if (last) writer_.push_over(rank, std::exchange(half, {}));
  }
}

bool Gatherer::collect_stored() {
  const ResultWriter::News news = writer_.collect();
  if (!news.failure.empty()) fail(world_.rank(), world_.host(), news.failure);
  const double now = now_s();
  std::map<int, std::vector<std::int64_t>> in_vain;
  for (const auto& [rank, item] : news.stored) {
    for (const int holder : dealer_.finish(rank, item, now)) in_vain[holder].push_back(item);
  }
  for (auto& [rank, items] : in_vain) drop(rank, std::move(items));
  gather_.schedule.repeats().answered_again += static_cast<std::int64_t>(news.again.size());
  if (!news.stored.empty() && gather_.progress) gather_.progress(gather_.schedule);
  if (gather_.schedule.complete() && !stopped_) stop(Verb::stop);
  return !news.stored.empty();
}

void Gatherer::drop(int rank, std::vector<std::int64_t> items) {
  if (rank != world_.rank()) return post(rank, {.verb = Verb::drop, .items = std::move(items)});
  local_drops_.insert(local_drops_.end(), items.begin(), items.end());
}

bool Gatherer::serve_hungry() {
  bool any = false;
  const double now = now_s();
  for (auto asking = hungry_.begin(); asking != hungry_.end() && !stopped_;) {
    const auto [rank, lanes] = *asking;
    ControlMessage grant{.verb = Verb::grant, .items = dealer_.deal(rank, lanes, now)};
    if (grant.items.empty()) {
      ++asking;  // it is lost, or others are sooner done with what is left
      continue;
    }
    grant.left_s = dealer_.seconds_left(now);
    post(rank, std::move(grant));
    asking = hungry_.erase(asking);
    any = true;
  }
  return any;
}

report::ThreadReport Gatherer::finish() {
  report::ThreadReport report = writer_.finish();
  collect_stored();
  return report;
}

}  // namespace tessera::farm
