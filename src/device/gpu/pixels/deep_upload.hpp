// Copies the jump tables of a deep image into a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "deep/deep_image.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// Bytes of the table of f64.
std::uint64_t table_bytes(const deep::DeepImage& image);
/// Bytes of a table of 106 bits.
std::uint64_t precise_table_bytes(const deep::DeepImage& image, const deep::PreciseTable& precise,
                                  std::size_t tier);

/// Makes the stream use this image. Copies its table if the device does not hold it. Throws
/// DeviceError if the device has too little memory. One thread at a time for each device.
void use_table(Stream& stream, const deep::DeepImage& image);

/// The number of that table for Stream.
constexpr std::uint32_t number_of_table(std::size_t tier) {
  return 1 + static_cast<std::uint32_t>(tier);
}
/// The same with a table of 106 bits, beside the one of f64. False if the device has too little
/// memory.
bool use_precise_table(Stream& stream, const deep::DeepImage& image,
                       const deep::PreciseTable& precise, std::size_t tier);

}  // namespace tessera::device::gpu
