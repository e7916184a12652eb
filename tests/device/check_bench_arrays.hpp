// What every BenchArrays must do, whatever its device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "device/bench_arrays.hpp"

namespace tessera::device {

/// `elements` at least 1.
inline void check_bench_arrays(BenchArrays& bench_arrays, std::size_t elements) {
  bench_arrays.resize(elements);
  const std::span<double> host = bench_arrays.host();
  ASSERT_EQ(host.size(), elements);

  bench_arrays.add();
  bench_arrays.copy_from_device();
  double sum = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(host[i], static_cast<double>(i % 1024 + 3 * (i % 512))) << "a + b at " << i;
    sum += static_cast<double>(i % 1024);
  }
  EXPECT_EQ(bench_arrays.sum(), sum) << elements;

  for (std::size_t i = 0; i < elements; ++i) host[i] = 0.5 + static_cast<double>(i);
  bench_arrays.copy_to_device();
  for (double& value : host) value = -1;
  bench_arrays.copy_from_device();
  for (std::size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(host[i], 0.5 + static_cast<double>(i)) << "there and back at " << i;
  }
}

}  // namespace tessera::device
