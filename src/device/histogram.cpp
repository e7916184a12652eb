#include "device/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::device {

HistogramBins::HistogramBins(double low, double high, std::size_t bins)
    : edges_(bins + 1), bins_per_unit_(static_cast<double>(bins) / (high - low)) {
  const double step = (high - low) / static_cast<double>(bins);
  for (std::size_t k = 0; k < bins; ++k) edges_[k] = static_cast<double>(k) * step + low;
  edges_[bins] = high;
  // Of so narrow a range that it has fewer numbers than bins.
  if (!std::isfinite(bins_per_unit_)) bins_per_unit_ = 0;
}

std::size_t HistogramBins::find(double x) const {
  if (!(x >= edges_.front() && x <= edges_.back())) return kOutside;
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), x);
  return std::min(static_cast<std::size_t>(above - edges_.begin()), count()) - 1;
}

}  // namespace tessera::device
