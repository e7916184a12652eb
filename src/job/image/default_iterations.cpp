#include "job/image/default_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/decimal.hpp"

namespace tessera::job {
namespace {

constexpr double kMaxDefaultIterations = 1e9;

/// floor(log2(width)), exact where f64 holds the width.
double log2_floor(std::string_view width) {
  const double real = base::nearest_real(width, "width");
  if (real > 0) return std::ilogb(real);
  return std::floor(log10_of_width(width) * std::numbers::ln10 / std::numbers::ln2);
}

}  // namespace

std::uint64_t default_iterations(double halvings) {
  const double more = static_cast<double>(kIterationsOfHalving) * std::max(0.0, halvings);
  return static_cast<std::uint64_t>(
      std::min(static_cast<double>(kFirstIterations) + more, kMaxDefaultIterations));
}

std::uint64_t default_iterations_of(std::string_view width) {
  return default_iterations(-log2_floor(width));
}

double log10_of_width(std::string_view text) {
  const std::string width = base::normalized_decimal(text);
  const double power = static_cast<double>(base::digits_of(width).exponent);
  const std::string digits = "0." + width.substr(0, width.find('e'));
  return power + 1 + std::log10(base::nearest_real(digits, "width"));
}

}  // namespace tessera::job
