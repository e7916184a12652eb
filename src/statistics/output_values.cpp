#include "statistics/output_values.hpp"

#include <charconv>
#include <cstring>

#include "statistics/answers.hpp"
#include "statistics/each_element.hpp"

namespace tessera::statistics {

namespace {

using base::ElementType;
using job::Operation;

template <class T>
bool put_integer(const std::string& text, std::byte* to) {
  T value{};
  const auto end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ec != std::errc()) return false;
  std::memcpy(to, &value, sizeof value);
  return true;
}

/// False if it does not fit.
bool put_value(const Value& value, const AnswerType& result, std::byte* to) {
  if (result.truth) {
    *to = static_cast<std::byte>(value.text == "true");
    return true;
  }
  if (result.type == ElementType::f32) {
    const auto single = static_cast<float>(*value.real);  // one of the array's elements
    std::memcpy(to, &single, sizeof single);
    return true;
  }
  if (result.type == ElementType::f64) {
    std::memcpy(to, &*value.real, sizeof *value.real);
    return true;
  }
  return with_element_type(result.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) return put_integer<T>(value.text, to);
    return false;
  });
}

}  // namespace

AnswerType result_of(Operation operation, ElementType type, const job::ReduceJob& job) {
  const bool floating = base::is_floating(type);
  const bool is_signed = type <= ElementType::i64;
  const ElementType whole = is_signed ? ElementType::i64 : ElementType::u64;
  // f2 has no type of its own in memory: every number of it is an f4.
  const ElementType own = type == ElementType::f16 ? ElementType::f32 : type;
  switch (operation) {
    case Operation::sum:
      return {operation, floating ? ElementType::f64 : whole};
    case Operation::norm1:
    case Operation::norminf:
      return {operation, floating ? ElementType::f64 : ElementType::u64};
    case Operation::min:
    case Operation::max:
      return {operation, own};
    case Operation::minmax:
      return {operation, own, false, 2};
    case Operation::argmin:
    case Operation::argmax:
    case Operation::count_nonzero:
      return {operation, ElementType::i64};
    case Operation::any:
    case Operation::all:
      return {operation, ElementType::u8, true};
    case Operation::histogram:
      return {operation, ElementType::i64, false, job.histogram.bins};
    default:
      return {operation, ElementType::f64};
  }
}

std::optional<Misfit> write_answers(const AnswerType& result, const OutputSpec& output_spec,
                                    const OutputPartials& all, const job::ReduceJob& job,
                                    std::span<std::byte> to) {
  if (result.operation == Operation::histogram) {
    std::ranges::copy(std::as_bytes(std::span(all.histogram)), to.begin());
    return std::nullopt;
  }
  const std::size_t bytes = base::element_bytes(result.type);
  std::byte* at = to.data();
  for (std::int64_t output = 0; output < all.outputs; ++output) {
    const Partial one = all.partial(output_spec, output);
    for (const Value& value : answer(result.operation, one, output_spec.spec.type, job)) {
      if (!put_value(value, result, at)) return Misfit{output, value.text};
      at += bytes;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::statistics
