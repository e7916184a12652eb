// Takes the finished tiles of a reduction along axes or of map: files, or a program's sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

/// Arrays go by their numbers. Checksums are those of store::ArrayWriter; a target that nothing
/// resumes with returns 0.
class AxisTarget {
 public:
  virtual ~AxisTarget() = default;
  virtual std::vector<store::ArrayLayout> layouts() const { return {}; }
  virtual std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                              std::span<const std::byte> elements, std::uint32_t checksum) = 0;
  virtual std::uint32_t write_chunk(std::size_t array, const plan::Shape& origin,
                                    std::span<const std::byte> bytes, std::uint32_t filter_mask,
                                    std::uint32_t checksum) = 0;
  virtual std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                                      std::uint32_t checksum) const = 0;
  virtual void sync() {}
};

}  // namespace tessera::reduce
