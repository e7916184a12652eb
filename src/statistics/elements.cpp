#include "statistics/elements.hpp"

#include "base/error.hpp"

namespace tessera::statistics {

std::int64_t Elements::count(base::ElementType type) const {
  if (generated) return generated->count;
  return static_cast<std::int64_t>(read.size() / base::element_bytes(type));
}

Elements Elements::part(std::int64_t first, std::int64_t some, base::ElementType type) const {
  if (generated) return GeneratedElements{generated->input, generated->first + first, some};
  const std::size_t bytes_each = base::element_bytes(type);
  return read.subspan(static_cast<std::size_t>(first) * bytes_each,
                      static_cast<std::size_t>(some) * bytes_each);
}

std::span<const std::byte> Elements::bytes() const {
  if (generated) throw base::run_error("{}: is not made by this device", generated->input.text);
  return read;
}

}  // namespace tessera::statistics
