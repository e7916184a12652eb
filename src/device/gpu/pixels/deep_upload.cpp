#include "device/gpu/pixels/deep_upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "base/text.hpp"
#include "deep/tiers.hpp"
#include "device/device_error.hpp"

namespace tessera::device::gpu {
namespace {

/// Bytes that are copied at a time.
// crossed by: within_the_range_of_f64
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr std::size_t kAlignment = alignof(kernels::PreciseJump);

/// An array of a table.
struct Part {
  std::size_t elements = 0, element_bytes = 0;
  /// Writes `count` elements from the one with number `first` on.
  std::function<void(std::size_t first, std::size_t count, std::byte* to)> write;
  std::size_t at_byte = 0;  ///< in the table
};

template <class T>
Part part_of(const std::vector<T>& array) {
  return {array.size(), sizeof(T), [&array](std::size_t first, std::size_t count, std::byte* to) {
            std::memcpy(to, array.data() + first, count * sizeof(T));
          }};
}

/// Elements that the cores make of several arrays when they read them.
template <class T, class Made>
Part part_made(std::size_t elements, const Made& made) {
  return {elements, sizeof(T), [made](std::size_t first, std::size_t count, std::byte* to) {
            for (std::size_t i = 0; i < count; ++i) {
              const T element = made[first + i];
              std::memcpy(to + i * sizeof(T), &element, sizeof(T));
            }
          }};
}

/// The parts of a table, one after another: nodes, entries, and maybe scaled nodes and entries.
struct Parts {
  std::array<Part, 4> all;
  std::size_t bytes = 0;

  explicit Parts(const deep::JumpTable& table)
      : Parts(part_of(table.nodes), part_of(table.entries), table) {}
  Parts(const deep::DeepImage& image, const deep::PreciseTable& precise, std::size_t tier)
      : Parts(precise.jumps(*image.orbit, image.table, tier), precise, tier) {}
  explicit Parts(const deep::WideTier& wide)
      : Parts(part_of(wide.nodes()), part_of(wide.entries()), deep::ScaledJumps<double>()) {}

 private:
  Parts(const kernels::TsJumps<kernels::DoubleDouble>& jumps, const deep::PreciseTable& precise,
        std::size_t tier)
      : Parts(part_made<kernels::PreciseNode>(precise.links.size(), jumps.nodes),
              part_made<kernels::PreciseJump>(precise.entries.size(), jumps.entries),
              precise.scaled[tier]) {}
  template <class Number>
  Parts(Part nodes, Part entries, const deep::ScaledJumps<Number>& scaled)
      : all{std::move(nodes), std::move(entries), part_of(scaled.scaled_nodes),
            part_of(scaled.scaled_entries)} {
    for (Part& part : all) {
      part.at_byte = bytes;
      bytes += (part.elements * part.element_bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
};

kernels::TsDeepImage image_of(const deep::DeepImage& image, const Parts& parts) {
  return {.limits = image.limits,
          .unit_step = image.unit_step.hi,
          .unit_step_low = image.unit_step.lo,
          .unit_exponent = image.unit_exponent,
          .entries_byte = parts.all[1].at_byte,
          .scaled_nodes_byte = parts.all[2].at_byte,
          .scaled_entries_byte = parts.all[3].at_byte,
          .scaled_count = parts.all[2].elements};
}

void copy_part(Stream& stream, const Part& part, HostBuffer& buffer) {
  const std::span<std::byte> bytes = buffer.bytes();
  const std::size_t most = bytes.size() / part.element_bytes;
  for (std::size_t first = 0; first < part.elements; first += most) {
    const std::size_t count = std::min(most, part.elements - first);
    part.write(first, count, bytes.data());
    stream.copy_deep(bytes.first(count * part.element_bytes),
                     part.at_byte + first * part.element_bytes);
    stream.wait();
  }
}

/// False if the device has too little memory.
bool copy_table(Stream& stream, std::uint64_t number, std::uint32_t table, const Parts& parts,
                const kernels::TsDeepImage& image) {
  if (!stream.make_deep(table, image, parts.bytes)) return false;
  const auto buffer = stream.make_host_buffer(std::min(parts.bytes, kPieceBytes));
  for (const Part& part : parts.all) copy_part(stream, part, *buffer);
  stream.share_deep(number);
  return true;
}

MoreBitsTable more_bits(const deep::DeepImage& image, Parts parts, std::uint32_t number,
                        double rounding) {
  const std::uint64_t bytes = parts.bytes;
  return {number, bytes, [&image, parts = std::move(parts), number, rounding](Stream& stream) {
            if (stream.use_deep(image.number, number)) return true;
            if (base::fault("device.precise_table")) return false;
            kernels::TsDeepImage of_table = image_of(image, parts);
            of_table.rounding = rounding;
            return copy_table(stream, image.number, number, parts, of_table);
          }};
}

}  // namespace

std::uint64_t table_bytes(const deep::DeepImage& image) {
  return Parts(image.table).bytes;
}

void use_table(Stream& stream, const deep::DeepImage& image) {
  if (stream.use_deep(image.number, 0)) return;
  const Parts parts(image.table);
  if (base::fault("device.table") ||
      !copy_table(stream, image.number, 0, parts, image_of(image, parts))) {
    throw DeviceError(fmt::format("no room for the jump table of this image, {}",
                                  base::format_bytes(static_cast<double>(parts.bytes))));
  }
}

MoreBitsTable table_of_106_bits(const deep::DeepImage& image, const deep::PreciseTable& precise,
                                std::size_t tier) {
  return more_bits(image, Parts(image, precise, tier), number_of_table(tier),
                   deep::PreciseTier::rounding_of(tier));
}

MoreBitsTable table_of_190_bits(const deep::DeepImage& image, const deep::WideTier& wide) {
  return more_bits(image, Parts(wide), kWideTable, 0);
}

}  // namespace tessera::device::gpu
