#include "farm/messages.hpp"

namespace tessera::farm {

base::ByteWriter begin_bulk(std::uint32_t farm) {
  base::ByteWriter message;
  message.reserve(64);
  message.put(farm);
  return message;
}

void append(base::ByteWriter& message, const ResultChunk& result_chunk) {
  message.reserve(result_chunk.body.size() + 32);
  message.put(result_chunk);
}

BulkMessage decode_bulk(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  BulkMessage message{.farm = in.get<std::uint32_t>()};
  while (!in.empty()) {
    in.read(message.result_chunks.emplace_back());
  }
  return message;
}

}  // namespace tessera::farm
