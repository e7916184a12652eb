// Colorizers of the last pictures. Making one takes longer than colouring a small picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "base/lru_cache.hpp"
#include "color/colorizer.hpp"
#include "job/image/color_job.hpp"

namespace tessera::view {

/// The values of an image, or of tiles that are spread over it.
struct Histogram {
  std::uint64_t number = 0;  ///< another one for other values, and not 0
  color::ValueRange range;
  color::StepCounts counts;
};

/// Any thread may use it.
class Colorizers {
 public:
  using Pointer = std::shared_ptr<const color::Colorizer>;

  /// Keeps `most` of them.
  explicit Colorizers(std::size_t most) : last_(most) {}

  /// A look with `equalize` has the histogram of the image.
  Pointer get(const job::ColorJob& look, std::uint64_t iterations,
              const Histogram* histogram = nullptr);

 private:
  using Key = std::tuple<std::string, double, double, int, double, std::uint64_t, std::uint64_t>;

  base::LruCache<Key, const color::Colorizer> last_;
};

}  // namespace tessera::view
