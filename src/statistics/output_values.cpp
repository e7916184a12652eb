#include "statistics/output_values.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/element.hpp"

namespace tessera::statistics {

namespace {

using base::ElementType;

template <class T>
bool put_integer(const std::string& text, std::byte* to) {
  T value{};
  const auto end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ec != std::errc()) return false;
  std::memcpy(to, &value, sizeof value);
  return true;
}

/// Of an array in which elements may be missing: its integers have up to 32 bits.
double real_of_integer(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return static_cast<double>(value);
}

}  // namespace

bool put_value(const Value& value, const AnswerType& result, std::byte* to) {
  if (result.in_words) {
    *to = static_cast<std::byte>(value.text == "true");
    return true;
  }
  if (base::is_floating(result.type)) {
    const double real = value.real ? *value.real : real_of_integer(value.text);
    const auto single = static_cast<float>(real);  // one of the array's elements
    if (result.type == ElementType::f32) std::memcpy(to, &single, sizeof single);
    if (result.type == ElementType::f64) std::memcpy(to, &real, sizeof real);
    return true;
  }
  return base::with_element_type(result.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) return put_integer<T>(value.text, to);
    return false;
  });
}

namespace {

/// The sum of a group divided by `n`, rounded once; nothing where only the accumulator can tell.
std::optional<double> quick_quotient(const GroupSpec& group_spec, const GroupPartials& all,
                                     std::size_t group, std::uint64_t n) {
  const auto has = [group](const std::vector<std::int64_t>& counts) {
    return !counts.empty() && counts[group] > 0;
  };
  const auto number = static_cast<std::uint32_t>(group);
  const bool special = has(all.nans) || has(all.positive_infinities) ||
                       has(all.negative_infinities) || all.sum.rest.contains(number);
  // A power of two from here on is a normal number, and so is its product with an integer.
  // crossed by: RoundsSumsAndMeansOnceAsTheAccumulatorDoes
  constexpr int kMinExponent = -1022;
  const int unit = group_spec.window.unit();
  const SumWords<2>& words = all.sum.words[group];
  const bool negative = words[1] >> 63 != 0;
  const auto bits = static_cast<kernels::UnsignedInt128>(words[1]) << 64 | words[0];
  const kernels::UnsignedInt128 magnitude = negative ? ~bits + 1 : bits;
  if (special || n == 0) return std::nullopt;
  if (magnitude == 0) return has(all.negative_zeros) ? std::nullopt : std::optional(0.0);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  if (n == 1 && unit >= kMinExponent) {
    const double value = static_cast<double>(magnitude) *
                         std::bit_cast<double>(static_cast<std::uint64_t>(unit + 1023) << 52);
    return negative ? -value : value;
  }
  const int shift = high != 0 ? std::countl_zero(high)
                              : 64 + std::countl_zero(static_cast<std::uint64_t>(magnitude));
  // The quotient has at least 64 bits; its last one says whether more follow.
  const kernels::UnsignedInt128 scaled = magnitude << shift;
  const kernels::UnsignedInt128 whole = scaled / n;
  const kernels::UnsignedInt128 quotient = whole | (whole * n != scaled ? 1 : 0);
  const double value = std::ldexp(static_cast<double>(quotient), unit - shift);
  if (value < std::numeric_limits<double>::min()) return std::nullopt;  // is rounded twice
  return negative ? -value : value;
}

/// Answers that need no Partial.
std::optional<double> quick_answer(job::Operation operation, const GroupSpec& group_spec,
                                   const GroupPartials& all, std::size_t group) {
  const bool of_pairs = group_spec.spec.pairing != job::Pairing::none;
  if (!base::is_floating(group_spec.spec.type) || of_pairs) return std::nullopt;
  if (operation == job::Operation::sum) return quick_quotient(group_spec, all, group, 1);
  if (operation != job::Operation::mean) return std::nullopt;
  return quick_quotient(group_spec, all, group, static_cast<std::uint64_t>(all.elements[group]));
}

}  // namespace

std::optional<Overflow> write_group_answers(const AnswerType& result, std::size_t which,
                                            const GroupSpec& group_spec, const GroupPartials& all,
                                            GroupSpan groups, std::int64_t ddof,
                                            std::span<std::byte> to) {
  const std::size_t bytes = base::element_bytes(result.type);
  Partial one;
  for (std::size_t group = groups.first; group < groups.end; ++group) {
    std::byte* const at = to.data() + (group - groups.first) * bytes;
    if (const auto quick = quick_answer(result.operation, group_spec, all, group)) {
      std::memcpy(at, &*quick, sizeof *quick);
      continue;
    }
    all.describe(group_spec, group, one);
    const Value value = answer(result.operation, one, group_spec.spec, ddof)[which];
    if (!put_value(value, result, at)) {
      return Overflow{static_cast<std::int64_t>(group), value.text};
    }
  }
  return std::nullopt;
}

std::optional<Overflow> write_answers(const AnswerType& result, const OutputSpec& output_spec,
                                      const OutputPartials& all, std::int64_t ddof,
                                      std::span<std::byte> to) {
  if (meaning_of(result.operation).type == ResultType::bins) {
    std::ranges::copy(std::as_bytes(std::span(all.histogram)), to.begin());
    return std::nullopt;
  }
  const std::size_t bytes = base::element_bytes(result.type);
  std::byte* at = to.data();
  for (std::int64_t output = 0; output < all.outputs; ++output) {
    const Partial one = all.partial(output_spec, output);
    for (const Value& value : answer(result.operation, one, output_spec.spec, ddof)) {
      if (!put_value(value, result, at)) return Overflow{output, value.text};
      at += bytes;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::statistics
