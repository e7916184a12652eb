// What ranks say to each other within a farm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "farm/work.hpp"

namespace tessera::farm {

enum class MessageKind : std::uint8_t {
  want,     ///< worker: lanes; "I can take more items"
  grant,    ///< gather: items, left_s
  stop,     ///< gather: everything is stored
  failure,  ///< worker: text; "I cannot go on"
  abort,    ///< gather: leave at once
  halt,     ///< worker: text; "I am asked to stop"; gather: finish what is begun, drop the rest
  left,     ///< worker: the last word of this farm
  drop,     ///< gather: items; "others have done these"
  hello,    ///< gather, to a rank that was silent: "are you with us?"
  here,     ///< worker: "I am"
  retire    ///< worker: items, text; "no lane of mine is left; these are for others"
};

struct ControlMessage {
  MessageKind kind = MessageKind::want;
  std::uint32_t farm = 0;  ///< number of the farm: a rank that was skipped may be at an old one
  int lanes = 0;
  std::vector<std::int64_t> items;
  double left_s = 0;  ///< until everything is done, as far as is known
  std::string text;
};

base::Bytes encode(const ControlMessage& message);
ControlMessage decode_control(const base::Bytes& bytes);

/// A bulk message is the number of the farm and parcels, of which those of an item are together.
base::ByteWriter begin_bulk(std::uint32_t farm);
void append(base::ByteWriter& message, const ResultChunk& result_chunk);
struct BulkMessage {
  std::uint32_t farm = 0;
  std::vector<ResultChunk> result_chunks;
};
BulkMessage decode_bulk(const base::Bytes& bytes);

}  // namespace tessera::farm
