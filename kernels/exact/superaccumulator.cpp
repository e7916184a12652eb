#include "kernels/exact/superaccumulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exact/big_number.hpp"
#include "kernels/exact/round_once.hpp"

namespace tessera::kernels {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Leaves all limbs except the last in [0, 2^32).
void carry(std::span<std::int64_t> limbs) {
  std::int64_t carried = 0;
  for (std::int64_t& limb : limbs.first(limbs.size() - 1)) {
    limb += carried;
    carried = limb >> 32;
    limb &= 0xffffffff;
  }
  limbs.back() += carried;
}

struct Decomposed {
  bool negative;
  std::uint64_t magnitude;
  int exponent;
};

template <class Sum>
double infinity_or_nan(const Sum& sum) {
  if (sum.nans() > 0 || (sum.positive_infinities() > 0 && sum.negative_infinities() > 0)) {
    return kNan;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return sum.positive_infinities() > 0 ? infinity : -infinity;
}

}  // namespace

template <int kTermPower>
void ExactSum<kTermPower>::normalise() {
  carry(limbs_);
  pending_ = 1;
}

template <int kTermPower>
void ExactSum<kTermPower>::merge(const ExactSum& other) {
  if (pending_ >= kMaxPending - other.pending_) normalise();
  if (pending_ >= kMaxPending - other.pending_) {
    merge(from_words([&] {
      std::array<std::int64_t, kWords> words;
      other.to_words(words);
      return words;
    }()));
    return;
  }
  for (std::size_t i = 0; i < kLimbs; ++i) limbs_[i] += other.limbs_[i];
  nans_ += other.nans_;
  positive_infinities_ += other.positive_infinities_;
  negative_infinities_ += other.negative_infinities_;
  negative_zero_ |= other.negative_zero_;
  other_ |= other.other_;
  pending_ += other.pending_;
}

template <int kTermPower>
double ExactSum<kTermPower>::rounded() const {
  if (!finite()) return infinity_or_nan(*this);
  auto limbs = this->limbs();
  const bool negative = limbs.back() < 0;
  if (negative) {
    for (std::int64_t& limb : limbs) limb = -limb;
    carry(limbs);
  }
  std::size_t high = kLimbs;
  while (high > 0 && limbs[high - 1] == 0) --high;
  if (high == 0) return negative_zero_ && !other_ ? -0.0 : 0.0;
  const auto limb = [&](std::size_t down) {
    return down > high ? std::uint64_t{0} : static_cast<std::uint64_t>(limbs[high - down]);
  };
  const int free = std::countl_zero(limb(1)) - 32;  // unused bits of the highest limb
  const std::uint64_t two = limb(1) << 32 | limb(2);
  const std::uint64_t third = limb(3) << free;
  bool more = (third & 0xffffffff) != 0;
  for (std::size_t i = 0; i + 3 < high; ++i) more |= limbs[i] != 0;
  const int exponent = kLowestExponent + 32 * (static_cast<int>(high) - 2) - free;
  return round_once(negative, two << free | third >> 32, exponent, more);
}

template <int kTermPower>
double ExactSum<kTermPower>::divided_by(std::uint64_t n) const {
  if (n == 0) return kNan;
  if (!finite()) return infinity_or_nan(*this);
  const BigNumber value = BigNumber::of(*this);
  return value.is_zero() ? rounded() : rounded_quotient(value, product(n));
}

template <int kTermPower>
auto ExactSum<kTermPower>::limbs() const -> std::array<std::int64_t, kLimbs> {
  auto limbs = limbs_;
  carry(limbs);
  return limbs;
}

template <int kTermPower>
void ExactSum<kTermPower>::to_words(std::span<std::int64_t> words) const {
  const auto limbs = this->limbs();
  auto out = std::copy(limbs.begin(), limbs.end(), words.begin());
  for (std::int64_t word : {nans_, positive_infinities_, negative_infinities_,
                            std::int64_t{negative_zero_ && !other_}, std::int64_t{other_}}) {
    *out++ = word;
  }
}

template <int kTermPower>
auto ExactSum<kTermPower>::from_words(std::span<const std::int64_t> words) -> ExactSum {
  ExactSum sum;
  std::copy_n(words.begin(), kLimbs, sum.limbs_.begin());
  sum.nans_ = words[kLimbs];
  sum.positive_infinities_ = words[kLimbs + 1];
  sum.negative_infinities_ = words[kLimbs + 2];
  sum.negative_zero_ = words[kLimbs + 3] != 0;
  sum.other_ = words[kLimbs + 4] != 0;
  sum.normalise();
  return sum;
}

template <int kTermPower>
bool ExactSum<kTermPower>::operator==(const ExactSum& other) const {
  std::array<std::int64_t, kWords> mine, theirs;
  to_words(mine);
  other.to_words(theirs);
  return mine == theirs;
}

template class ExactSum<1>;
template class ExactSum<2>;
template class ExactSum<3>;
template class ExactSum<4>;

namespace {

/// n * (sum of squares) - sum^2, which is n (n - ddof) times the variance.
BigNumber scaled_variance(const Superaccumulator& sum, const SquareAccumulator& squares,
                          std::uint64_t n) {
  const BigNumber s = BigNumber::of(sum);
  return BigNumber::of(squares) * n - s * s;
}

}  // namespace

double variance(const Superaccumulator& sum, const SquareAccumulator& squares, std::uint64_t n,
                std::uint64_t ddof) {
  if (n <= ddof || !sum.finite() || !squares.finite()) return kNan;
  return rounded_quotient(scaled_variance(sum, squares, n), product(n, n - ddof));
}

double standard_deviation(const Superaccumulator& sum, const SquareAccumulator& squares,
                          std::uint64_t n, std::uint64_t ddof) {
  if (n <= ddof || !sum.finite() || !squares.finite()) return kNan;
  return rounded_root_of_quotient(scaled_variance(sum, squares, n), product(n, n - ddof));
}

double square_root(const SquareAccumulator& squares) {
  if (!squares.finite()) return std::sqrt(infinity_or_nan(squares));
  return rounded_root_of_quotient(BigNumber::of(squares), product(1));
}

double root_of_mean(const SquareAccumulator& squares, std::uint64_t n) {
  if (n == 0) return kNan;
  if (!squares.finite()) return std::sqrt(infinity_or_nan(squares));
  return rounded_root_of_quotient(BigNumber::of(squares), product(n));
}

}  // namespace tessera::kernels
