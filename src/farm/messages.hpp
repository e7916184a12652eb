// The messages between ranks within a farm.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "farm/work.hpp"

namespace tessera::farm {

enum class MessageKind : std::uint8_t {
  want,      ///< worker: lanes; requests items
  grant,     ///< gather rank: items, left_s
  stop,      ///< gather rank: everything is stored
  failure,   ///< worker: text; the rank has failed
  abort,     ///< gather rank: leave at once
  halt,      ///< worker: text; it must stop. gather rank: finish what is in progress, drop the rest
  left,      ///< worker: last message in this farm
  drop,      ///< gather rank: items that others have computed
  recall,    ///< gather rank: asks for the items that the rank has not begun
  returned,  ///< worker: items; answers recall
  hello,     ///< gather rank, to a rank that was silent: asks whether it takes part in this farm
  here,      ///< worker: answers hello
  retire,    ///< worker: items, text; it has no lane left and returns these items
  progress,  ///< worker: started; the items that it has begun
  stored,    ///< a rank that stores a part: stored, again
  end,       ///< gather rank: all ranks have left, so store what has arrived
  close,     ///< as end, and all items are stored
  ended,     ///< such a rank: stored, again; its last message in this farm
  lost,      ///< gather rank: rank; nobody waits for its messages any more
  back,      ///< gather rank: rank, which takes part again
  adopt,     ///< gather rank: items are parts that the rank is to store, as theirs was lost
  adopted,   ///< worker: items, stored; answers adopt
  unadopted,  ///< worker: items, text; it cannot adopt them now; answers adopt
  moved,      ///< gather rank: items are parts that `rank` stores now
  unsent      ///< worker: items whose results may be lost, after the news that a part has moved
};

struct ControlMessage {
  MessageKind kind = MessageKind::want;
  std::uint32_t farm = 0;  ///< number of the farm; a rank that was skipped may still be in an
                           ///< earlier one
  int lanes = 0;
  int rank = 0;
  std::vector<std::int64_t> items;
  double left_s = 0;  ///< predicted time until everything is done
  std::string text;
  std::uint64_t memory_bytes = 0;   ///< resident, of a rank that requests items
  double power_w = base::kNotTold;  ///< of its hardware
  std::vector<ItemProgress> started{};
  std::vector<StoredItem> stored{};
  std::int64_t again = 0;  ///< results of items that were stored already

  static auto members(auto& self) {
    return std::tie(self.kind, self.farm, self.lanes, self.rank, self.items, self.left_s, self.text,
                    self.memory_bytes, self.power_w, self.started, self.stored, self.again);
  }
};

/// A bulk message is the number of the farm, followed by result chunks; those of an item are
/// contiguous.
base::ByteWriter begin_bulk(std::uint32_t farm);
void append(base::ByteWriter& message, const ResultChunk& result_chunk);
struct BulkMessage {
  std::uint32_t farm = 0;
  std::vector<ResultChunk> result_chunks;
};
BulkMessage decode_bulk(const base::Bytes& bytes);

}  // namespace tessera::farm
