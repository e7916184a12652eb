#include "device/gpu/pixels/deep_upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/fault.hpp"
#include "base/text.hpp"

namespace tessera::device::gpu {
namespace {

/// Bytes that are copied at a time.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr std::size_t kAlignment = alignof(kernels::TsJumpEntry);

/// The arrays of a table, one after another.
struct Parts {
  std::array<std::span<const std::byte>, 4> arrays;
  std::array<std::size_t, 4> at_byte{};
  std::size_t bytes = 0;

  explicit Parts(const deep::JumpTable& table)
      : arrays{std::as_bytes(std::span(table.nodes)), std::as_bytes(std::span(table.entries)),
               std::as_bytes(std::span(table.scaled_nodes)),
               std::as_bytes(std::span(table.scaled_entries))} {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      at_byte[i] = bytes;
      bytes += (arrays[i].size() + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
};

kernels::TsDeepImage image_of(const deep::DeepImage& image, const Parts& parts) {
  return {.limits = image.limits,
          .unit_step = image.unit_step.hi,
          .unit_exponent = image.unit_exponent,
          .entries_byte = parts.at_byte[1],
          .scaled_nodes_byte = parts.at_byte[2],
          .scaled_entries_byte = parts.at_byte[3],
          .scaled_count = image.table.scaled_nodes.size()};
}

void copy_array(Stream& stream, std::span<const std::byte> array, std::size_t at_byte,
                HostBuffer& buffer) {
  while (!array.empty()) {
    const auto piece = buffer.bytes().first(std::min(array.size(), buffer.bytes().size()));
    std::memcpy(piece.data(), array.data(), piece.size());
    stream.copy_deep(piece, at_byte);
    stream.wait();
    array = array.subspan(piece.size());
    at_byte += piece.size();
  }
}

}  // namespace

std::uint64_t table_bytes(const deep::DeepImage& image) {
  return Parts(image.table).bytes;
}

void use_table(Stream& stream, const deep::DeepImage& image) {
  if (stream.use_deep(image.number)) return;
  const Parts parts(image.table);
  if (base::fault("device.table") || !stream.make_deep(image_of(image, parts), parts.bytes)) {
    throw DeviceError(fmt::format("no room for the jump table of this image, {}",
                                  base::format_bytes(static_cast<double>(parts.bytes))));
  }
  const auto buffer = stream.make_host_buffer(std::min(parts.bytes, kPieceBytes));
  for (std::size_t i = 0; i < parts.arrays.size(); ++i) {
    copy_array(stream, parts.arrays[i], parts.at_byte[i], *buffer);
  }
  stream.share_deep(image.number);
}

}  // namespace tessera::device::gpu
