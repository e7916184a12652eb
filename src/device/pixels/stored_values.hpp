// Single elements of a block's buffers, which may lie in planes of bytes. All supported machines
// are little-endian: the first bytes of a count are the count in a narrower type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/device.hpp"
#include "job/image/render_job.hpp"

namespace tessera::device {

/// Sets an element of a field, byte by byte in planes.
void put_value(std::span<const std::byte> value, const BlockBuffers& out, std::byte* field,
               std::size_t element);

/// Sets a count, in the type that counts of the image have.
void put_count(std::uint64_t count, const job::ImageSpec& image, const BlockBuffers& out,
               std::size_t element);
/// Sets the values of an element; those of fields that the buffers lack are left out.
void put_pixel(std::uint64_t count, const job::PerField<float>& more, std::size_t iterations_bytes,
               const BlockBuffers& out, std::size_t element);
/// Those of them beside the count.
void put_values(const job::PerField<float>& more, const BlockBuffers& out, std::size_t element);

/// The count of `bytes` bytes there.
std::uint64_t count_at(const BlockBuffers& out, std::size_t bytes, std::size_t element);

}  // namespace tessera::device
