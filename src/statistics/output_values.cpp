#include "statistics/output_values.hpp"

#include <charconv>
#include <cstring>

#include "statistics/each_element.hpp"

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

}  // namespace

bool put_value(const Value& value, const AnswerType& result, std::byte* to) {
  if (result.is_boolean) {
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

std::optional<Misfit> write_answers(const AnswerType& result, const OutputSpec& output_spec,
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
      if (!put_value(value, result, at)) return Misfit{output, value.text};
      at += bytes;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::statistics
