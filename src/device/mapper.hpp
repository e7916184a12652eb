// The interface of expressions that a device evaluates for `tessera map`.
#pragma once

#include <cstddef>
#include <span>

#include "device/reducer.hpp"
#include "statistics/elements.hpp"

namespace tessera::device {

/// One stream of work on a device, driven by one thread. Throws DeviceError if the device fails.
class Mapper : public ElementReducer {
 public:
  /// Writes the elements of each expression, which are of one of `types`, to one of `to`. Fastest
  /// to and from memory of make_host_buffer().
  virtual void evaluate(const statistics::MappedElements& elements,
                        std::span<const base::ElementType> types,
                        std::span<const std::span<std::byte>> to) = 0;
};

}  // namespace tessera::device
