#include "kernels/exact/moments.hpp"

#include <limits>

namespace tessera::kernels {

/// The sum of C(k, j) (-s_1)^j n^(k - 1 - j) s_(k - j) over j, with s_0 = n.
LongNumber CentralMoments::scaled(int k) const {
  const LongNumber step(-sums_.front().mantissa(), sums_.front().exponent());
  LongNumber total(0, 0);
  LongNumber factor(1, 0);  // C(k, j) (-s_1)^j
  for (int j = 0; j <= k; ++j) {
    LongNumber term = j < k ? factor * sums_[static_cast<std::size_t>(k - j - 1)] : factor;
    for (int power = j; power < k - 1; ++power) term = term * n_;
    total = total - LongNumber(-term.mantissa(), term.exponent());
    factor = factor * step * static_cast<std::uint64_t>(k - j);
    factor = {factor.mantissa() / (j + 1), factor.exponent()};  // leaves no rest
  }
  return total;
}

double skewness(const CentralMoments& moments) {
  const LongNumber second = moments.scaled(2);
  const LongNumber third = moments.scaled(3);
  if (second.mantissa() <= 0) return std::numeric_limits<double>::quiet_NaN();
  const double root = rounded_root_of_quotient(third * third, second * second * second);
  return third.mantissa() < 0 ? -root : root;
}

double excess_kurtosis(const CentralMoments& moments) {
  const LongNumber second = moments.scaled(2);
  if (second.mantissa() <= 0) return std::numeric_limits<double>::quiet_NaN();
  const LongNumber square = second * second;
  return rounded_quotient(moments.scaled(4) - square * 3, square);
}

}  // namespace tessera::kernels
