// A message received from a rank.
#pragma once

#include "base/bytes.hpp"

namespace tessera::comm {

struct Message {
  int source = 0;
  base::Bytes body;
};

}  // namespace tessera::comm
