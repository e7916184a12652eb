// Quantiles as numpy.quantile defines them: between which sorted elements they lie, and where.
#pragma once

#include <cstdint>

#include "job/arrays/operations.hpp"
#include "statistics/order/element_key.hpp"

namespace tessera::statistics {

/// The ranks, from 0, of two neighbours among sorted elements, and how far the quantile is from the
/// lower to the upper one.
struct QuantilePlace {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  double weight = 0;
};
/// `n` > 0 elements. R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The
/// American Statistician 50 (1996), and the other methods of NumPy, with NumPy's operations on f64.
QuantilePlace quantile_place(job::QuantileMethod method, double q, std::int64_t n);
/// Whether each quantile is an element.
bool picks_elements(job::QuantileMethod method);

/// NumPy's interpolation: a + (b - a) w, or b - (b - a) (1 - w) from w = 0.5 on. Each operation is
/// rounded to f64; b - a of integers is exact before. Where b - a overflows, the same of a/2 and
/// b/2.
double interpolated(ElementKey a, ElementKey b, double weight, base::ElementType type);
/// (a + b) / 2, rounded once.
double mean_of_two(ElementKey a, ElementKey b, base::ElementType type);

}  // namespace tessera::statistics
