// Bins of equal width, the same ones everywhere.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tessera::statistics {

/// Edges are k * ((high - low) / bins) + low, each operation rounded to f64, and the last is
/// `high`; where the width of a bin rounds to 0, (k / bins) * (high - low) + low: those of
/// numpy.linspace. Bin k holds edges[k] <= x < edges[k + 1], the last one also x = high.
class HistogramBins {
 public:
  static constexpr std::size_t kOutside = ~std::size_t{0};

  /// low < high, high - low finite, bins >= 1.
  HistogramBins(double low, double high, std::size_t bins);
  /// Bins between any edges, which grow; guess() is slow for them.
  explicit HistogramBins(std::vector<double> edges) : edges_(std::move(edges)) {}

  std::size_t count() const { return edges_.size() - 1; }
  std::span<const double> edges() const { return edges_; }
  /// Finite.
  double bins_per_unit() const { return bins_per_unit_; }

  /// The bin of x, or kOutside, for NaN too: by looking for it among the edges.
  std::size_t find(double x) const;
  /// The same from a guess, which is at most some bins off.
  std::size_t guess(double x) const {
    if (!(x >= edges_.front() && x <= edges_.back())) return kOutside;
    auto bin = static_cast<std::size_t>((x - edges_.front()) * bins_per_unit_);
    if (bin >= count()) bin = count() - 1;
    while (bin > 0 && x < edges_[bin]) --bin;
    while (bin + 1 < count() && x >= edges_[bin + 1]) ++bin;
    return bin;
  }

 private:
  std::vector<double> edges_;
  double bins_per_unit_ = 0;
};

}  // namespace tessera::statistics
