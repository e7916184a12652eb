#include "statistics/order/quantile_place.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::statistics {

namespace {

using job::QuantileMethod;

double middle(double weight) {
  return weight == 0 ? 0 : 0.5;
}
double half_or_one(double weight) {
  return weight == 0 ? 0.5 : 1;
}

/// n q + (alpha + q (1 - alpha - beta)) - 1
struct Position {
  double alpha, beta;
  double of(double q, double n) const { return n * q + (alpha + q * (1 - alpha - beta)) - 1; }
};

/// `position` may lie outside [0, n - 1].
QuantilePlace between(double position, std::int64_t n, double (*weigh)(double) = nullptr) {
  const double last = static_cast<double>(n - 1);
  if (position >= last) return {n - 1, n - 1, 0};
  if (position < 0) return {0, 0, 0};
  const double floor = std::floor(position);
  const auto rank = static_cast<std::int64_t>(floor);
  const double weight = position - floor;
  return {rank, rank + 1, weigh == nullptr ? weight : weigh(weight)};
}

QuantilePlace at(double rank, std::int64_t n) {
  const auto element = std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 0, n - 1);
  return {element, element, 0};
}

double signed_sum(double a, double b) {
  return a == b ? a : a + b;
}

}  // namespace

QuantilePlace quantile_place(QuantileMethod method, double q, std::int64_t n) {
  const auto count = static_cast<double>(n);
  const double linear = (count - 1) * q;
  const double last = count * q - 1;
  const double closest = last - 0.5;
  switch (method) {
    case QuantileMethod::inverted_cdf:
      return at(std::ceil(last), n);
    case QuantileMethod::averaged_inverted_cdf:
      return between(last, n, half_or_one);
    case QuantileMethod::closest_observation: {
      // Halfway, the element whose number from 1 is even.
      const double floor = std::floor(closest);
      return at(closest == floor && std::fmod(floor, 2) != 0 ? floor : floor + 1, n);
    }
    case QuantileMethod::interpolated_inverted_cdf:
      return between(Position{0, 1}.of(q, count), n);
    case QuantileMethod::hazen:
      return between(Position{0.5, 0.5}.of(q, count), n);
    case QuantileMethod::weibull:
      return between(Position{0, 0}.of(q, count), n);
    case QuantileMethod::linear:
      return between(linear, n);
    case QuantileMethod::median_unbiased:
      return between(Position{1 / 3.0, 1 / 3.0}.of(q, count), n);
    case QuantileMethod::normal_unbiased:
      return between(Position{3 / 8.0, 3 / 8.0}.of(q, count), n);
    case QuantileMethod::lower:
      return at(std::floor(linear), n);
    case QuantileMethod::higher:
      return at(std::ceil(linear), n);
    case QuantileMethod::midpoint:
      return between(linear, n, middle);
    case QuantileMethod::nearest:
      break;
  }
  return at(std::nearbyint(linear), n);
}

bool picks_elements(QuantileMethod method) {
  using enum QuantileMethod;
  constexpr std::array kMethods = {inverted_cdf, closest_observation, lower, higher, nearest};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

double interpolated(ElementKey a, ElementKey b, double weight, base::ElementType type) {
  double low = real_of_key(a, type);
  double high = real_of_key(b, type);
  if (a == b || weight == 0) return low;
  if (weight == 1) return high;
  if (std::isinf(low) || std::isinf(high)) return signed_sum(low, high);
  const bool real = base::is_floating(type);
  double step =
      real ? high - low : static_cast<double>(integer_of_key(b, type) - integer_of_key(a, type));
  const bool halved = std::isinf(step);
  if (halved) {
    low /= 2;
    high /= 2;
    step = high - low;
  }
  const double x = weight < 0.5 ? low + step * weight : high - step * (1 - weight);
  return halved ? 2 * x : x;
}

double mean_of_two(ElementKey a, ElementKey b, base::ElementType type) {
  if (!base::is_floating(type)) {
    return static_cast<double>(integer_of_key(a, type) + integer_of_key(b, type)) / 2;
  }
  const double low = real_of_key(a, type);
  const double high = real_of_key(b, type);
  const double sum = low + high;
  // Rounded once: the half of a sum that is not exact is a normal number.
  return std::isinf(sum) ? low / 2 + high / 2 : sum / 2;
}

}  // namespace tessera::statistics
