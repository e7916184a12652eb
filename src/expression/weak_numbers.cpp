#include "expression/weak_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera::expression {
namespace {

constexpr Whole kMin = std::numeric_limits<std::int64_t>::min();
constexpr Whole kMax = std::numeric_limits<std::uint64_t>::max();

Whole checked(Whole number) {
  if (number >= kMin && number <= kMax) return number;
  throw Mistake("the whole number is beyond 64 bits; write it as a real number, as in 1e30");
}

Whole floor_of_quotient(Whole x, Whole y) {
  const Whole quotient = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

/// |x * y| < 2^127, except for two numbers near 2^64.
Whole product_of(Whole x, Whole y) {
  return checked(x > kMax / 2 && y > kMax / 2 ? kMax + 1 : x * y);
}

Whole power_of(Whole x, Whole y) {
  if (x == 0 || x == 1) return y == 0 ? 1 : x;
  if (x == -1) return y % 2 == 0 ? 1 : -1;
  Whole result = 1;
  for (; y > 0; --y) result = product_of(result, x);
  return result;
}

}  // namespace

bool fits(Whole number, Type type) {
  if (is_real(type)) return true;
  const auto bits = static_cast<unsigned>(8 * base::element_bytes(element_of(type)));
  if (is_signed(type)) {
    const Whole end = Whole{1} << (bits - 1);
    return number >= -end && number < end;
  }
  return number >= 0 && number < Whole{1} << bits;
}

std::string format_whole(Whole number) {
  if (number < 0) return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", static_cast<std::uint64_t>(number));
}

std::uint64_t mask_of(Type type) {
  const auto bits = 8 * base::element_bytes(lane_of(type));
  return ~std::uint64_t{0} >> (64 - bits);
}

Whole whole_result(Op op, Whole x, Whole y) {
  switch (op) {
    case Op::negate:
      return checked(-x);
    case Op::absolute:
      return checked(x < 0 ? -x : x);
    case Op::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Op::complement:
      return checked(-x - 1);
    case Op::add:
      return checked(x + y);
    case Op::subtract:
      return checked(x - y);
    case Op::multiply:
      return product_of(x, y);
    case Op::floor_divide:
      return checked(floor_of_quotient(x, y));
    case Op::modulo:
      return x - floor_of_quotient(x, y) * y;
    case Op::power:
      return power_of(x, y);
    case Op::minimum:
      return std::min(x, y);
    case Op::maximum:
      return std::max(x, y);
    case Op::bit_and:
      return x & y;
    case Op::bit_or:
      return x | y;
    default:
      return x;  // floor, ceil, rint
  }
}

bool compare_whole(Op op, Whole x, Whole y) {
  switch (op) {
    case Op::less:
      return x < y;
    case Op::less_equal:
      return x <= y;
    case Op::equal:
      return x == y;
    default:
      return x != y;
  }
}

}  // namespace tessera::expression
