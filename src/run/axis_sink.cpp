#include "run/axis_sink.hpp"

namespace tessera::run {

void AxisSink::put(Parcel parcel) {
  const plan::AxisItems::Item item = task_.items.item(parcel.item);
  base::ByteReader body(parcel.body);
  specials_ += body.get<device::SpecialCounts>();
  if (task_.items.shares() > 1) return merge(item.first_tile, body);
  for (std::int64_t tile = item.first_tile; tile < item.end_tile; ++tile) {
    const auto outputs = static_cast<std::size_t>(task_.plan.tile(tile).elements());
    write(tile, body.get_bytes(outputs * task_.answer_bytes()));
  }
}

void AxisSink::merge(std::int64_t tile, base::ByteReader& body) {
  device::AxisPartials share;
  share.read(body);
  Gathering& gathering = gathering_[tile];
  if (gathering.shares == 0) {
    gathering.partials = std::move(share);
  } else {
    gathering.partials.merge(share);
  }
  if (++gathering.shares < task_.items.shares()) return;
  base::Bytes answers(static_cast<std::size_t>(gathering.partials.outputs) * task_.answer_bytes());
  task_.write_answers(tile, gathering.partials, answers);
  gathering_.erase(tile);
  write(tile, answers);
}

void AxisSink::write(std::int64_t tile, std::span<const std::byte> answers) {
  const plan::Box box = task_.plan.tile(tile);
  for (std::size_t i = 0; i < task_.results.size(); ++i) {
    const std::size_t bytes =
        task_.results[i].bytes_each() * static_cast<std::size_t>(box.elements());
    writer_.write(i, box, task_.plan.order(), answers.first(bytes));
    answers = answers.subspan(bytes);
  }
}

}  // namespace tessera::run
