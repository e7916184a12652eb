// Copies the jump table of a deep image into a device's memory.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// Bytes of the table.
std::uint64_t table_bytes(const deep::DeepImage& image);

/// Makes the stream use this image. Copies its table if the device does not hold it. Throws
/// DeviceError if the device has too little memory. One thread at a time for each device.
void use_table(Stream& stream, const deep::DeepImage& image);

}  // namespace tessera::device::gpu
