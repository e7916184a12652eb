// Origins of the coordinates of a page. Numbers of a browser are exact up to 2^53 only. So the page
// counts squares from a place that the server keeps, and requests another place in time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "base/lru_cache.hpp"
#include "plane/matrix.hpp"

namespace tessera::explore {

/// The common corner of the squares (-1, -1) and (0, 0) of every level, in normalized decimals.
struct Place {
  std::uint64_t id = 0;
  std::string center_re, center_im;
  std::string span;  ///< width of a square of level 0

  static auto members(auto& self) {
    return std::tie(self.id, self.center_re, self.center_im, self.span);
  }
  bool same_as(const Place& other) const {
    return center_re == other.center_re && center_im == other.center_im && span == other.span;
  }
};

/// `steps_x` squares of `level` to the right of a place and `steps_y` below it, without rounding;
/// squares of its level 0 are those of `level`. The id is open. A matrix that turns them rounds to
/// 10^-24 of a square.
Place moved(const Place& from, int level, std::int64_t steps_x, std::int64_t steps_y,
            const plane::Matrix& matrix = {});

/// Any thread may use it. Keeps the places that were used last.
class Places {
 public:
  // crossed by: those_that_were_not_used_for_longest_are_forgotten
  static constexpr std::size_t kMax = 4096;

  /// Equal places have the same id.
  Place add(Place place);
  /// A place of another rank, which keeps its id.
  void keep(const Place& place);
  std::optional<Place> find(std::uint64_t id);

 private:
  std::mutex adding_;  ///< guards ids_
  std::uint64_t ids_ = 0;
  base::LruCache<std::uint64_t, const Place> places_{kMax};  ///< by id
};

}  // namespace tessera::explore
