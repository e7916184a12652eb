// Simple array operations on a device, which `tessera bench` measures beside rendering.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::device {

/// Arrays a, b and c of f64 in the device's memory and one on the host, all of the same size. Every
/// call blocks until the device has finished; the caller measures the time. Throws DeviceError.
class BenchArrays {
 public:
  virtual ~BenchArrays() = default;
  /// Allocates the arrays, with a[i] = i mod 1024 and b[i] = 3 (i mod 512) on the device.
  virtual void resize(std::size_t elements) = 0;
  /// Host memory for the copies, page-locked if that makes them faster.
  virtual std::span<double> host() = 0;
  virtual void copy_to_device() = 0;    ///< host -> c
  virtual void copy_from_device() = 0;  ///< c -> host
  virtual void add() = 0;               ///< c = a + b
  virtual double sum() = 0;             ///< sum of a; every partial sum is an integer below 2^53
};

}  // namespace tessera::device
