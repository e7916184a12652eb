// What ranks say to each other within a farm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "run/work.hpp"

namespace tessera::run {

enum class Verb : std::uint8_t {
  want,     ///< worker: lanes; "I can take more items"
  grant,    ///< gather: items, left_s
  stop,     ///< gather: everything is stored
  failure,  ///< worker: text; "I cannot go on"
  abort,    ///< gather: leave at once
  halt,     ///< worker: text; "I am asked to stop"; gather: finish what is begun, drop the rest
  left,     ///< worker: the last word of this farm
  retire    ///< worker: items, text; "no lane of mine is left; these are for others"
};

struct ControlMessage {
  Verb verb = Verb::want;
  int lanes = 0;
  std::vector<std::int64_t> items;
  double left_s = 0;  ///< until everything is done, as far as is known
  std::string text;
};

base::Bytes encode(const ControlMessage& message);
ControlMessage decode_control(const base::Bytes& bytes);

/// Appends a parcel to a bulk message, which may carry many.
void append(base::ByteWriter& message, const Parcel& parcel);
std::vector<Parcel> decode_parcels(const base::Bytes& bytes);

}  // namespace tessera::run
