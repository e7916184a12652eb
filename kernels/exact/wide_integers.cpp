#include "kernels/exact/wide_integers.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

namespace tessera::kernels {

std::string decimal(Int128 high, UnsignedInt128 low) {
  using boost::multiprecision::int256_t;
  int256_t rest = int256_t(high) * (int256_t(1) << 64) + int256_t(low);
  const bool negative = rest < 0;
  if (negative) rest = -rest;
  std::string digits;  // in reverse order
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits.push_back('-');
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace tessera::kernels
