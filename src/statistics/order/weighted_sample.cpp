#include "statistics/order/weighted_sample.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::statistics {

namespace {

constexpr double kDeviationsOfWeights = 5;

/// The sample as a distribution. Weights are parts of all, so that no sum of them overflows.
class SampledWeights {
 public:
  explicit SampledWeights(const WeightedSample& sample) : sample_(sample) {
    double greatest = 0;
    for (const auto& run : sample) {
      sorted_.insert(sorted_.end(), run.begin(), run.end());
      for (const WeightedKey& one : run) greatest = std::max(greatest, one.weight);
    }
    std::ranges::sort(sorted_, {}, &WeightedKey::key);
    for (const WeightedKey& one : sorted_) {
      const double part = one.weight / greatest;
      all_ += part;
      squares_ += part * part;
      up_to_.push_back(all_);
    }
    unit_ = greatest;
  }

  bool empty() const { return sorted_.empty(); }
  std::size_t size() const { return sorted_.size(); }
  ElementKey key(std::size_t place) const { return sorted_[place].key; }
  /// Kish's number of elements, as a part of all.
  double effective() const { return all_ * all_ / squares_ / static_cast<double>(size()); }
  double greatest() const { return 1 / all_; }
  /// The first place up to which a part of the weights comes; size() for more than all.
  std::size_t place_of(double part) const {
    const auto place = std::ranges::lower_bound(up_to_, part * all_);
    return static_cast<std::size_t>(place - up_to_.begin());
  }

  /// How far the part of the weights below a key may be from that of the array: from the
  /// differences of neighbouring runs, as the runs come from strata of the array.
  double deviation(double part) const {
    const ElementKey at = key(std::min(size() - 1, place_of(part)));
    double squares = 0, last = 0;
    std::size_t runs = 0;
    for (const auto& run : sample_) {
      if (run.empty()) continue;
      double residual = 0;
      for (const WeightedKey& one : run) {
        residual += one.weight / unit_ * ((one.key < at ? 1 : 0) - part);
      }
      if (runs++ > 0) squares += (residual - last) * (residual - last);
      last = residual;
    }
    const auto n = static_cast<double>(runs);
    const double of_runs = std::sqrt(squares * n / (2 * std::max(1.0, n - 1))) / all_;
    const double of_pairs = std::sqrt(part * (1 - part) * squares_) / all_;
    return runs < 2 ? 1 : std::max(of_runs, of_pairs);
  }

 private:
  const WeightedSample& sample_;
  std::vector<WeightedKey> sorted_;
  std::vector<double> up_to_;
  double unit_ = 1, all_ = 0, squares_ = 0;
};

/// The part of the cumulated weights in which the quantile lies, roughly.
struct Part {
  double low, high;
};

Part part_of(const SoughtQuantile& sought, double effective) {
  if (sought.method->picks) return {sought.q, sought.q};
  const auto alpha = static_cast<double>(sought.method->alpha) / 24;
  const auto beta = static_cast<double>(sought.method->beta) / 24;
  const double position = effective * sought.q + alpha + sought.q * (1 - alpha - beta) - 1;
  const double low = std::clamp(position, 0.0, std::max(0.0, effective - 1)) / effective;
  return {low, low + 1 / effective};
}

KeySegment segment_of(const Part& part, const SampledWeights& sampled, double elements_each) {
  const NumberKeys numbers = number_keys(base::ElementType::f64);
  const double margin = 2 * sampled.greatest();
  const double low = part.low - kDeviationsOfWeights * sampled.deviation(part.low) - margin;
  const double high = part.high + kDeviationsOfWeights * sampled.deviation(part.high) + margin;
  const std::size_t first = low <= 0 ? 0 : sampled.place_of(low);
  const std::size_t last = sampled.place_of(high);
  const auto below = static_cast<std::int64_t>(static_cast<double>(first) * elements_each);
  const auto up_to = static_cast<std::int64_t>(static_cast<double>(last) * elements_each);
  return {low <= 0 ? numbers.least : sampled.key(first),
          last == sampled.size() ? numbers.greatest : sampled.key(last), below, up_to - below};
}

}  // namespace

std::vector<KeySegment> likely_segments(const WeightedSample& sample,
                                        std::span<const SoughtQuantile> sought,
                                        std::int64_t elements) {
  const SampledWeights sampled(sample);
  const NumberKeys numbers = number_keys(base::ElementType::f64);
  if (sampled.empty()) return {{numbers.least, numbers.greatest, 0, elements}};
  const double each = static_cast<double>(elements) / static_cast<double>(sampled.size());
  const double effective = sampled.effective() * static_cast<double>(elements);
  std::vector<KeySegment> segments;
  for (const SoughtQuantile& one : sought) {
    segments.push_back(segment_of(part_of(one, effective), sampled, each));
  }
  return joined(std::move(segments));
}

}  // namespace tessera::statistics
