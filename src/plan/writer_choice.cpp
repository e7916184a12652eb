#include "plan/writer_choice.hpp"

#include <algorithm>
#include <cmath>

#include "job/image/render_job.hpp"

namespace tessera::plan {

double store_seconds(double tile_bytes, std::uint64_t disk_bytes_per_s) {
  return kStoreSeconds + tile_bytes / static_cast<double>(disk_bytes_per_s);
}

int auto_writers(double render_s, double store_s, std::int64_t most) {
  // crossed by: has_more_writers_where_one_is_busy_for_more_than_half_of_the_time
  constexpr double kBusy = 0.5;
  const double limit = static_cast<double>(std::clamp<std::int64_t>(most, 1, job::kMaxWriters));
  if (store_s <= kBusy * render_s) return 1;
  return static_cast<int>(std::min(limit, std::ceil(store_s / (kBusy * render_s))));
}

}  // namespace tessera::plan
