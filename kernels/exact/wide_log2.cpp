#include "kernels/exact/wide_log2.hpp"

#include <boost/multiprecision/cpp_int.hpp>

namespace tessera::kernels {

namespace {

using Backend =
    boost::multiprecision::cpp_int_backend<1024, 1024, boost::multiprecision::unsigned_magnitude,
                                           boost::multiprecision::unchecked, void>;
using Integer = boost::multiprecision::number<Backend, boost::multiprecision::et_off>;

/// log2(2^bits / factor) in units of 2^-128, computed bit by bit by squaring. Each squaring doubles
/// the error, hence the many bits.
UnsignedInt128 inverse_logarithm(std::uint64_t factor, unsigned bits) {
  constexpr unsigned kPlaces = 400;
  const Integer two = Integer(2) << kPlaces;
  Integer x = (Integer(1) << (kPlaces + bits)) / factor;
  UnsignedInt128 logarithm = 0;
  for (int bit = 0; bit < 128; ++bit) {
    x = x * x >> kPlaces;
    const bool set = x >= two;
    if (set) x >>= 1;
    logarithm = logarithm << 1 | static_cast<unsigned>(set);
  }
  return logarithm;
}

}  // namespace

template <std::size_t kCount, int kStepBits, int kFactorBits>
LogSteps<kCount, kStepBits, kFactorBits>::LogSteps() {
  constexpr std::uint64_t kOne = std::uint64_t{1} << kStepBits;
  for (std::size_t i = 0; i < kCount; ++i) {
    factors[i] = ((kOne << kFactorBits) + kOne + i - 1) / (kOne + i);
    logarithms[i] = inverse_logarithm(factors[i], kFactorBits);
  }
}

const LogTable& LogTable::get() {
  static const LogTable table;
  return table;
}

std::uint64_t wide_exp2(UnsignedInt128 x) {
  constexpr unsigned kPlaces = 200;
  const Integer one = Integer(1) << kPlaces;
  const auto exponent =
      (Integer(static_cast<std::uint64_t>(x >> 64)) << 64) | Integer(static_cast<std::uint64_t>(x));
  // ln 2 = sum of 1 / (k 2^k).
  Integer ln2 = 0;
  for (unsigned k = 1; k < kPlaces; ++k) ln2 += (one >> k) / k;
  const Integer t = exponent * ln2 >> 128;
  Integer term = one;
  Integer sum = one;
  for (unsigned k = 1; term != 0; ++k) {
    term = (term * t >> kPlaces) / k;
    sum += term;
  }
  return static_cast<std::uint64_t>(sum >> (kPlaces - 63));
}

}  // namespace tessera::kernels
