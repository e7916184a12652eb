#include "device/pixels/stored_values.hpp"

#include <array>
#include <bit>

namespace tessera::device {

namespace {

std::size_t place_of(std::size_t byte, std::size_t bytes, const BlockBuffers& out,
                     std::size_t element) {
  const auto plane = static_cast<std::size_t>(out.plane_px);
  return plane != 0 ? byte * plane + element : element * bytes + byte;
}

}  // namespace

void put_value(std::span<const std::byte> value, const BlockBuffers& out, std::byte* field,
               std::size_t element) {
  for (std::size_t b = 0; b < value.size(); ++b) {
    field[place_of(b, value.size(), out, element)] = value[b];
  }
}

void put_count(std::uint64_t count, const job::ImageSpec& image, const BlockBuffers& out,
               std::size_t element) {
  const std::size_t bytes = base::element_bytes(job::iterations_type(image));
  put_value(std::as_bytes(std::span(&count, 1)).first(bytes), out, out.iterations, element);
}

void put_values(const job::PerField<float>& more, const BlockBuffers& out, std::size_t element) {
  for (const job::Field field : job::kMoreFields) {
    float* const to = out.more()[field];
    if (to == nullptr) continue;
    put_value(std::as_bytes(std::span(&more[field], 1)), out, reinterpret_cast<std::byte*>(to),
              element);
  }
}

void put_pixel(std::uint64_t count, const job::PerField<float>& more, std::size_t iterations_bytes,
               const BlockBuffers& out, std::size_t element) {
  put_value(std::as_bytes(std::span(&count, 1)).first(iterations_bytes), out, out.iterations,
            element);
  put_values(more, out, element);
}

std::uint64_t count_at(const BlockBuffers& out, std::size_t bytes, std::size_t element) {
  std::array<std::byte, sizeof(std::uint64_t)> count{};
  for (std::size_t b = 0; b < bytes; ++b) {
    count[b] = out.iterations[place_of(b, bytes, out, element)];
  }
  return std::bit_cast<std::uint64_t>(count);
}

}  // namespace tessera::device
