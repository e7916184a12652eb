// Plain array work on a device: what `tessera bench` measures beside rendering.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::device {

/// Arrays a, b and c of f64 in the device's memory and one on the host, all of one size. Every call
/// blocks until the device has done it; the caller takes the time. Throws DeviceError.
class BenchArrays {
 public:
  virtual ~BenchArrays() = default;
  /// Allocates the arrays, with a[i] = i mod 1024 and b[i] = 3 (i mod 512) on the device.
  virtual void resize(std::size_t elements) = 0;
  /// Host memory that copies go to and come from (page-locked where that makes them faster).
  virtual std::span<double> host() = 0;
  virtual void copy_to_device() = 0;    ///< host -> c
  virtual void copy_from_device() = 0;  ///< c -> host
  virtual void add() = 0;               ///< c = a + b
  virtual double sum() = 0;             ///< of a; every partial sum is an integer below 2^53
};

}  // namespace tessera::device
