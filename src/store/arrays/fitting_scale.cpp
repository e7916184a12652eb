#include "store/arrays/fitting_scale.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "store/arrays/dimension.hpp"

namespace tessera::store {

bool is_own_scale(const WrittenArray& array) {
  return array.scales.size() == 1 && array.scales.front()->name == array.name;
}

bool is_taken(const std::string& name, const std::vector<WrittenArray>& arrays) {
  return std::ranges::any_of(arrays, [&](const WrittenArray& array) {
    return array.name == name || array.name.starts_with(name + "/") ||
           (!array.edges.empty() && array.name + "_edges" == name);
  });
}

void for_each_coordinate(
    const std::vector<WrittenArray>& arrays,
    const std::function<void(const std::shared_ptr<const WrittenScale>&, std::size_t)>& take) {
  for (const WrittenArray& array : arrays) {
    for (std::size_t d = 0; d < array.scales.size() && !is_own_scale(array); ++d) {
      if (!array.scales[d]->values.empty()) take(array.scales[d], d);
    }
  }
}

bool serves_by_name(const WrittenScale& scale, bool has_coordinates_there) {
  return !has_coordinates_there || (scale.values.empty() && !is_made_up(scale.name));
}

std::shared_ptr<const WrittenScale> fitting_scale(
    const std::shared_ptr<const WrittenScale>& scale, std::size_t place,
    const std::function<bool(const std::shared_ptr<const WrittenScale>&)>& fits) {
  if (fits(scale)) return scale;
  const std::string by_place = fmt::format("dim_{}", place);
  const std::string by_length = fmt::format("{}_{}", by_place, scale->length);
  for (int i = 0;; ++i) {
    const std::string name = i == 0   ? by_place
                             : i == 1 ? by_length
                                      : fmt::format("{}_{}", by_length, i);
    auto other =
        std::make_shared<const WrittenScale>(WrittenScale{.name = name, .length = scale->length});
    if (fits(other)) return other;
  }
}

}  // namespace tessera::store
