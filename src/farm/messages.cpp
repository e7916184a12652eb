#include "farm/messages.hpp"

namespace tessera::farm {

base::Bytes encode(const ControlMessage& message) {
  base::ByteWriter out;
  out.reserve(64);
  out.put(message.verb)
      .put(message.farm)
      .put(message.lanes)
      .put(message.left_s)
      .put(message.items.size());
  out.put_bytes(std::as_bytes(std::span(message.items))).put_text(message.text);
  return out.take();
}

ControlMessage decode_control(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  ControlMessage message;
  message.verb = in.get<Verb>();
  message.farm = in.get<std::uint32_t>();
  message.lanes = in.get<int>();
  message.left_s = in.get<double>();
  message.items.resize(in.get<std::size_t>());
  for (std::int64_t& item : message.items) item = in.get<std::int64_t>();
  message.text = in.get_text();
  return message;
}

base::ByteWriter begin_bulk(std::uint32_t farm) {
  base::ByteWriter message;
  message.reserve(64);
  message.put(farm);
  return message;
}

void append(base::ByteWriter& message, const Parcel& parcel) {
  message.reserve(parcel.body.size() + 32);
  message.put(parcel.item).put(parcel.last).put(parcel.body.size()).put_bytes(parcel.body);
}

BulkMessage decode_bulk(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  BulkMessage message{.farm = in.get<std::uint32_t>()};
  while (!in.empty()) {
    Parcel parcel;
    parcel.item = in.get<std::int64_t>();
    parcel.last = in.get<bool>();
    const auto body = in.get_bytes(in.get<std::size_t>());
    parcel.body.assign(body.begin(), body.end());
    message.parcels.push_back(std::move(parcel));
  }
  return message;
}

}  // namespace tessera::farm
