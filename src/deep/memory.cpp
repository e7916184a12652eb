#include "deep/memory.hpp"

#include <vector>

namespace tessera::deep {

namespace {

constexpr std::uint64_t kOrbitBytes = 4 * sizeof(double);  ///< bytes of an element
/// At most, with those of the table.
constexpr std::uint64_t kElementBytes =
    kOrbitBytes + sizeof(WideComplex) + sizeof(kernels::TsJumpNode);
/// Where an entry belongs, until all are known.
constexpr std::uint64_t kPlaceBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kJumpBytes = sizeof(kernels::TsJumpEntry) + kPlaceBytes;

template <class T>
std::uint64_t size_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

std::uint64_t precise_bytes(std::uint64_t elements, std::uint64_t jumps) {
  return elements * sizeof(kernels::PreciseLinks) +
         jumps * (sizeof(kernels::PreciseEntry) + kPlaceBytes);
}

std::uint64_t wide_bytes(std::uint64_t elements, std::uint64_t jumps) {
  return WideTier::bytes_for(elements, jumps) + jumps * kPlaceBytes;
}

/// Tables of more bits have no more.
std::uint64_t jumps_of(const JumpTable& table) {
  return table.entries.size() + table.scaled_entries.size();
}

}  // namespace

std::uint64_t min_bytes(const Place& place, std::uint64_t elements) {
  const std::uint64_t wide_bytes = orbit_limits(place).wide ? sizeof(WideComplex) : 0;
  return elements * (kOrbitBytes + wide_bytes + sizeof(kernels::TsJumpNode));
}

std::uint64_t max_bytes(std::uint64_t elements) {
  const std::uint64_t jumps = max_jumps(elements);
  return elements * kElementBytes + jumps * kJumpBytes + precise_bytes(elements, jumps) +
         wide_bytes(elements, jumps);
}

std::uint64_t table_bytes(const Place& place, const ReferenceOrbit& orbit, std::uint64_t most) {
  const std::uint64_t fixed = min_bytes(place, orbit.re.size()) + size_of(orbit.tiny);
  if (!place.formula.has_jumps()) return fixed;
  const std::uint64_t bytes = fixed + max_jumps(orbit.re.size()) * kJumpBytes;
  return bytes <= most ? bytes : fixed + count_jumps(orbit) * kJumpBytes;
}

std::uint64_t held_bytes(const DeepImage& image) {
  return image.orbit->re.size() * kOrbitBytes + size_of(image.orbit->wide) +
         size_of(image.orbit->tiny) + size_of(image.table.nodes) + size_of(image.table.entries) +
         size_of(image.table.scaled_nodes) + size_of(image.table.scaled_entries);
}

std::uint64_t precise_bytes(const DeepImage& image) {
  if (!image.place.exact) return 0;
  return precise_bytes(image.table.nodes.size(), jumps_of(image.table));
}

std::uint64_t wide_bytes(const DeepImage& image) {
  if (!image.place.exact || !WideTier::renders(image)) return 0;
  return wide_bytes(image.table.nodes.size(), jumps_of(image.table));
}

std::uint64_t bytes_of(const DeepImage& image, MoreBits tables) {
  return (tables == MoreBits::none ? 0 : precise_bytes(image)) +
         (tables == MoreBits::all ? wide_bytes(image) : 0);
}

}  // namespace tessera::deep
