#include "farm/messages.hpp"

namespace tessera::farm {

base::Bytes encode(const ControlMessage& message) {
  base::ByteWriter out;
  out.reserve(64);
  out.put(message.kind)
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
  message.kind = in.get<MessageKind>();
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

void append(base::ByteWriter& message, const ResultChunk& result_chunk) {
  message.reserve(result_chunk.body.size() + 32);
  message.put(result_chunk.item)
      .put(result_chunk.last)
      .put(result_chunk.body.size())
      .put_bytes(result_chunk.body);
}

BulkMessage decode_bulk(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  BulkMessage message{.farm = in.get<std::uint32_t>()};
  while (!in.empty()) {
    ResultChunk result_chunk;
    result_chunk.item = in.get<std::int64_t>();
    result_chunk.last = in.get<bool>();
    const auto body = in.get_bytes(in.get<std::size_t>());
    result_chunk.body.assign(body.begin(), body.end());
    message.result_chunks.push_back(std::move(result_chunk));
  }
  return message;
}

}  // namespace tessera::farm
