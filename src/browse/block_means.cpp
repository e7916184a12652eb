#include "browse/block_means.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/run.hpp"

namespace tessera::browse {
namespace {

constexpr std::int64_t kBandElements = 1 << 16;  ///< stay in the cache of a core

/// Sums of the columns of a row of squares, with how many numbers they have.
class ColumnSums {
 public:
  explicit ColumnSums(std::int64_t width)
      : sums_(static_cast<std::size_t>(width)), counts_(sums_.size()) {}

  void add(const double* row) {
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      const bool there = row[x] == row[x];
      sums_[x] += there ? row[x] : 0;
      counts_[x] += there ? 1 : 0;
    }
  }
  /// The means of the squares, and begins again.
  void take(std::int64_t side, std::span<double> means) {
    for (std::size_t cell = 0; cell < means.size(); ++cell) {
      const std::size_t first = cell * static_cast<std::size_t>(side);
      const std::size_t end = std::min(first + static_cast<std::size_t>(side), sums_.size());
      double sum = 0;
      double count = 0;
      for (std::size_t x = first; x < end; ++x) {
        sum += sums_[x];
        count += counts_[x];
      }
      means[cell] = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
    }
    std::ranges::fill(sums_, 0);
    std::ranges::fill(counts_, 0);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> counts_;
};

}  // namespace

std::vector<double> block_means(const OpenArray& array, const Plane& plane,
                                const base::PixelRect& rect, int level, const SeenElements& seen) {
  const std::int64_t side = std::int64_t{1} << level;
  const std::int64_t cells = divided_up(rect.width, side);
  std::vector<double> means(static_cast<std::size_t>(cells * divided_up(rect.height, side)));
  // Strips of whole squares, and in these bands of rows: little memory for wide rectangles, too.
  const std::int64_t strip = std::max(side, kBandElements / side * side);
  for (std::int64_t x = 0; x < rect.width; x += strip) {
    const std::int64_t width = std::min(strip, rect.width - x);
    const std::int64_t band = std::max<std::int64_t>(1, kBandElements / width);
    std::vector<double> elements;
    ColumnSums sums(width);
    for (std::int64_t y = 0; y < rect.height; y += band) {
      base::throw_if_stopped("serve");
      const std::int64_t height = std::min(band, rect.height - y);
      elements.resize(static_cast<std::size_t>(height * width));
      const base::PixelRect part{rect.x + x, rect.y + y, width, height};
      array.read(plane, part, elements);
      if (seen) seen(part, elements);
      for (std::int64_t row = 0; row < height; ++row) {
        sums.add(elements.data() + row * width);
        const std::int64_t below = y + row + 1;
        if (below % side != 0 && below != rect.height) continue;
        const auto first = static_cast<std::size_t>((y + row) / side * cells + x / side);
        sums.take(side, std::span(means).subspan(
                            first, static_cast<std::size_t>(divided_up(width, side))));
      }
    }
  }
  return means;
}

}  // namespace tessera::browse
