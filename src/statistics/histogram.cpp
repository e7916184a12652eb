#include "statistics/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/gpu/generate.hpp"

namespace tessera::statistics {

HistogramBins::HistogramBins(double low, double high, std::size_t bins)
    : edges_(bins + 1), bins_per_unit_(static_cast<double>(bins) / (high - low)) {
  const double step = kernels::ts_spacing(bins + 1, low, high);
  for (std::size_t k = 0; k <= bins; ++k) {
    edges_[k] = kernels::ts_spaced(k, bins + 1, low, high, step);
  }
  // The range is so narrow that it has fewer numbers than bins.
  if (!std::isfinite(bins_per_unit_)) bins_per_unit_ = 0;
}

std::size_t HistogramBins::find(double x) const {
  if (!(x >= edges_.front() && x <= edges_.back())) return kOutside;
  // Without the last edge: among the smallest numbers a width is rounded so coarsely that edges
  // before it may lie above it.
  const auto above = std::upper_bound(edges_.begin(), edges_.end() - 1, x);
  return static_cast<std::size_t>(above - edges_.begin()) - 1;
}

}  // namespace tessera::statistics
