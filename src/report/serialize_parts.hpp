// Parts that the messages of renders and of reductions share. For this folder only.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "report/timings.hpp"

namespace tessera::report {

void put_devices(base::ByteWriter& out, const std::vector<LostDevice>& devices);
std::vector<LostDevice> get_devices(base::ByteReader& in);

}  // namespace tessera::report
