// What every Probe must do, whatever its device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "device/bench_arrays.hpp"

namespace tessera::device {

/// `elements` at least 1.
inline void check_probe(Probe& probe, std::size_t elements) {
  probe.resize(elements);
  const std::span<double> host = probe.host();
  ASSERT_EQ(host.size(), elements);

  probe.add();
  probe.copy_from_device();
  double sum = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(host[i], static_cast<double>(i % 1024 + 3 * (i % 512))) << "a + b at " << i;
    sum += static_cast<double>(i % 1024);
  }
  EXPECT_EQ(probe.sum(), sum) << elements;

  for (std::size_t i = 0; i < elements; ++i) host[i] = 0.5 + static_cast<double>(i);
  probe.copy_to_device();
  for (double& value : host) value = -1;
  probe.copy_from_device();
  for (std::size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(host[i], 0.5 + static_cast<double>(i)) << "there and back at " << i;
  }
}

}  // namespace tessera::device
