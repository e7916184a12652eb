// Exact statistics of a rectangle of a plane, by the engine of `tessera reduce`.
#pragma once

#include <cstdint>

#include "base/geometry.hpp"
#include "base/stop_token.hpp"
#include "browse/open_array.hpp"
#include "browse/plane.hpp"
#include "report/json_parts.hpp"

namespace tessera::browse {

inline constexpr double kGreatestExact = 9007199254740992;  ///< 2^53: a page rounds beyond

struct StatisticsLimits {
  int threads = 1;
  std::uint64_t memory_bytes = 0;
  base::StopToken& stop;
};

/// `elements`, `missing`, `least`, `greatest`, `mean`, `std`, `median`, `p2` and `p98`, all without
/// the missing elements, rounded once; null where there is none. With `detail` also `histogram`
/// (`edges`, `counts`), and `rows` and `columns`: the means of each row and of each column, of
/// neighbouring ones together beyond 1024, unless a side is longer than 2^24. Throws base::Error.
report::Json statistics_of(const std::shared_ptr<const OpenArray>& array, const Plane& plane,
                           const base::PixelRect& rect, bool detail,
                           const StatisticsLimits& limits);

/// Statistics of the rectangle at each index of a further dimension: `dimension`, `means`, `least`
/// and `greatest`, without the missing elements; null where there is none. No extremes of integers
/// of 64 bits that may be missing. Throws base::Error.
report::Json through_of(const std::shared_ptr<const OpenArray>& array, const Plane& plane,
                        const base::PixelRect& rect, std::size_t dimension,
                        const StatisticsLimits& limits);

}  // namespace tessera::browse
