#include "base/packed_integers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.hpp"

namespace tessera::base {

static_assert(std::endian::native == std::endian::little, "the first bytes are the lowest ones");

void put_packed(std::span<const std::uint64_t> values, ByteWriter& to) {
  std::uint64_t least = 0, greatest = 0;
  const auto as_signed = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  if (!values.empty()) {
    const auto [first, last] = std::ranges::minmax(values, {}, as_signed);
    least = first;
    greatest = last;
  }
  const auto width = static_cast<std::size_t>(std::bit_width(greatest - least) + 7) / 8;
  // A value is written with 8 bytes; the next one overwrites those that are 0.
  Bytes packed(values.size() * width + sizeof least);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t difference = values[i] - least;
    std::memcpy(&packed[i * width], &difference, sizeof difference);
  }
  to.put(values.size(), least, static_cast<std::uint8_t>(width));
  to.put_bytes(std::span(packed).first(values.size() * width));
}

std::vector<std::uint64_t> get_packed(ByteReader& from) {
  const auto count = from.get<std::size_t>();
  const auto least = from.get<std::uint64_t>();
  const std::size_t width = from.get<std::uint8_t>();
  if (width > sizeof least || count > std::numeric_limits<std::size_t>::max() / 8) {
    throw run_error("{} integers of {} bytes are none that were packed", count, width);
  }
  const auto packed = from.get_bytes(count * width);
  std::vector<std::uint64_t> values(count, least);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t difference = 0;
    if (width > 0) std::memcpy(&difference, &packed[i * width], width);
    values[i] += difference;
  }
  return values;
}

}  // namespace tessera::base
