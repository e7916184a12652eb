#include "farm/result_outbox.hpp"

#include <algorithm>
#include <utility>

#include "farm/messages.hpp"

namespace tessera::farm {
namespace {

/// Results are combined into messages of up to this size, so that a million tiny tiles do not need
/// a million messages.
// crossed by: test_as_many_as_travel_in_a_message, many_parcels_share_a_message
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
/// The chunks of one result are sent in several messages only if MPI could not send them together.
// not crossed: takes a GiB
constexpr std::size_t kMaxBytes = std::size_t{3} << 29;
/// Messages in flight; the next batch is filled meanwhile. One more for each further rank that
/// stores results, so that a slow one does not hold up the others.
constexpr std::size_t kSendsInFlight = 2;
// not crossed: how many messages are in flight cannot be seen
constexpr std::size_t kMostSendsInFlight = 16;

}  // namespace

ResultOutbox::ResultOutbox(comm::World& world, const Routes& routes, std::uint32_t farm,
                           std::size_t capacity)
    : world_(world),
      routes_(routes),
      farm_(farm),
      sends_in_flight_(std::min(kSendsInFlight + routes.count() - 1, kMostSendsInFlight)),
      batch_bytes_(kBatchBytes * kSendsInFlight / sends_in_flight_),
      queue_(capacity) {}

void ResultOutbox::push(Result result) {
  const std::size_t weight = weight_of(result);
  queue_.push(std::move(result), weight);
}

bool ResultOutbox::send() {
  if (world_.pending_sends() >= sends_in_flight_) return false;
  fill();
  const auto size_of = [&](const auto& batch) {
    return held_up_.contains(batch.first) ? 0 : batch.second.size();
  };
  const auto fullest = std::ranges::max_element(batches_, {}, size_of);
  if (fullest == batches_.end() || size_of(*fullest) == 0) return false;
  batched_ -= fullest->second.size();
  world_.isend(fullest->first, comm::Channel::bulk, fullest->second.take());
  batches_.erase(fullest);
  return true;
}

/// A result that does not fit waits for the next message.
void ResultOutbox::fill() {
  for (;;) {
    if (!held_) held_ = queue_.try_pop();
    if (!held_ || (batched_ > 0 && batched_ + weight_of(*held_) > batch_bytes_)) return;
    append(*held_);
    held_.reset();
  }
}

void ResultOutbox::append(const Result& result) {
  const int rank = routes_.rank_of(result.front().item);
  base::ByteWriter& batch = batches_[rank];
  batched_ -= batch.size();
  if (batch.size() == 0) batch = begin_bulk(farm_);
  const std::size_t empty = sizeof(farm_);
  for (const ResultChunk& result_chunk : result) {
    if (batch.size() > empty && batch.size() + result_chunk.body.size() > kMaxBytes) {
      world_.isend(rank, comm::Channel::bulk, std::exchange(batch, begin_bulk(farm_)).take());
    }
    farm::append(batch, result_chunk);
  }
  batched_ += batch.size();
  const std::int64_t item = result.front().item;
  if (routes_.has_several()) sent_[routes_.part_of(item)].push_back(item);
}

std::vector<std::int64_t> ResultOutbox::take_back(std::size_t part, int lost) {
  drop_batch(lost);
  return std::exchange(sent_[part], {});
}

void ResultOutbox::drop_batch(int rank) {
  const auto batch = batches_.find(rank);
  if (batch == batches_.end()) return;
  batched_ -= batch->second.size();
  batches_.erase(batch);
}

void ResultOutbox::drop_held_up() {
  for (const int rank : held_up_) drop_batch(rank);
}

void ResultOutbox::hold(int rank, bool holds) {
  if (holds) {
    held_up_.insert(rank);
  } else {
    held_up_.erase(rank);
  }
}

void ResultOutbox::abandon() {
  queue_.abandon();
  held_.reset();
  batches_.clear();
  batched_ = 0;
}

}  // namespace tessera::farm
