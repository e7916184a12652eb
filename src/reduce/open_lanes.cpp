#include "reduce/open_lanes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tessera::reduce {

bool LaneBudget::take(std::uint64_t bytes) {
  min_bytes_ = std::min(min_bytes_, bytes);
  if (unavailable() + used_bytes_ + bytes > memory_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

std::pair<std::string, std::string> LaneBudget::given_and_needed(std::uint64_t needed) const {
  return base::format_different_bytes(static_cast<double>(memory_bytes_),
                                      static_cast<double>(std::max(needed, needed_bytes())));
}

std::uint64_t batch_bytes(std::size_t preferred, std::uint64_t piece_bytes,
                          std::uint64_t slice_bytes) {
  if (preferred == 0) return 0;
  return std::max(piece_bytes, std::min<std::uint64_t>(preferred, slice_bytes));
}

}  // namespace tessera::reduce
