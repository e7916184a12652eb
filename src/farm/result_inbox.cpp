#include "farm/result_inbox.hpp"

namespace tessera::farm {

ResultInbox::ResultInbox(comm::World& world, Sink& sink, std::uint32_t farm,
                         const FarmLimits& limits, base::Event& wake)
    : world_(world),
      farm_(farm),
      writer_(sink, limits, world.origin(), wake),
      halves_(static_cast<std::size_t>(world.size())) {}

bool ResultInbox::receive() {
  bool any = false;
  // While the thread is behind, messages stay in MPI, which holds back the senders.
  while (abandoned_ || !writer_.full()) {
    auto message = world_.try_receive(comm::Channel::bulk);
    if (!message) break;
    any = true;
    BulkMessage bulk = decode_bulk(message->body);
    if (bulk.farm != farm_) continue;
    if (world_.is_root()) world_.rejoin(message->source);
    if (abandoned_) continue;
    Result& half = halves_[static_cast<std::size_t>(message->source)];
    for (ResultChunk& result_chunk : bulk.result_chunks) {
      const bool last = result_chunk.last;
      half.push_back(std::move(result_chunk));
      if (last) writer_.push_over(message->source, std::exchange(half, {}));
    }
  }
  return any;
}

void ResultInbox::abandon() {
  abandoned_ = true;
  writer_.abandon();
}

}  // namespace tessera::farm
