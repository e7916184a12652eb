#include "base/read_number.hpp"

#include <charconv>
#include <limits>
#include <system_error>

#include "base/decimal.hpp"

namespace tessera::base {

template <std::integral T>
std::optional<T> read_integer(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

template std::optional<int> read_integer(std::string_view);
template std::optional<std::int64_t> read_integer(std::string_view);
template std::optional<std::uint64_t> read_integer(std::string_view);

std::optional<double> read_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || text.empty()) return std::nullopt;
  if (read.ec == std::errc()) return value;
  if (read.ec != std::errc::result_out_of_range) return std::nullopt;
  const bool is_small = digits_of(text).exponent < 0;
  const double size = is_small ? 0.0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -size : size;
}

}  // namespace tessera::base
