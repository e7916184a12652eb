#include "statistics/elements.hpp"

#include "base/error.hpp"

namespace tessera::statistics {
namespace {

MappedArray part_of(MappedArray array, std::int64_t first, std::int64_t some) {
  array.first += first;
  if (array.kind != MappedArray::Kind::read) return array;
  const std::size_t bytes_each = base::element_bytes(array.type);
  array.read = array.read.subspan(static_cast<std::size_t>(first) * bytes_each,
                                  static_cast<std::size_t>(some) * bytes_each);
  return array;
}

}  // namespace

std::int64_t MappedArray::bytes_each() const {
  return kind == Kind::counted ? 0 : static_cast<std::int64_t>(base::element_bytes(type));
}

std::int64_t Elements::count(base::ElementType type) const {
  if (generated) return generated->count;
  if (mapped) return mapped->count;
  return static_cast<std::int64_t>(read.size() / base::element_bytes(type));
}

Elements Elements::part(std::int64_t first, std::int64_t some, base::ElementType type) const {
  if (generated) return GeneratedElements{generated->input, generated->first + first, some};
  if (mapped) {
    MappedElements some_mapped{.steps = mapped->steps, .results = mapped->results, .count = some};
    for (const MappedArray& array : mapped->arrays) {
      some_mapped.arrays.push_back(part_of(array, first, some));
    }
    return some_mapped;
  }
  const std::size_t bytes_each = base::element_bytes(type);
  Elements some_read = read.subspan(static_cast<std::size_t>(first) * bytes_each,
                                    static_cast<std::size_t>(some) * bytes_each);
  some_read.resident = resident;
  return some_read;
}

std::span<const std::byte> Elements::bytes() const {
  if (generated) throw base::run_error("{}: is not made by this device", generated->input.text);
  if (mapped) throw base::run_error("this device does not evaluate expressions");
  if (resident) throw base::run_error("this device does not take elements of its memory");
  return read;
}

}  // namespace tessera::statistics
