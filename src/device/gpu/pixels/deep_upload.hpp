// Copies the jump tables of a deep image into a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "deep/deep_image.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// Bytes of the table of f64.
std::uint64_t table_bytes(const deep::DeepImage& image);

/// Makes the stream use this image. Copies its table if the device does not hold it. Throws
/// DeviceError if the device has too little memory. One thread at a time for each device.
void use_table(Stream& stream, const deep::DeepImage& image);

/// The number of that table for Stream.
constexpr std::uint32_t number_of_table(std::size_t tier) {
  return 1 + static_cast<std::uint32_t>(tier);
}

/// A table of more bits, beside the one of f64.
struct MoreBitsTable {
  std::uint32_t number = 0;  ///< for Stream
  std::uint64_t bytes = 0;
  /// As use_table(). False if the device has too little memory.
  std::function<bool(Stream& stream)> use;
};
/// Valid as long as what it is made of.
MoreBitsTable table_of_106_bits(const deep::DeepImage& image, const deep::PreciseTable& precise,
                                std::size_t tier);
MoreBitsTable table_of_190_bits(const deep::DeepImage& image, const deep::WideTier& wide);

}  // namespace tessera::device::gpu
