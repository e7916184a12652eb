#include "reduce/reduce_devices.hpp"

#include <gtest/gtest.h>

namespace tessera::reduce {
namespace {

TEST(ReduceDevices, AutoIsTheCoresForSmallFiles) {
  EXPECT_EQ(reduce_devices("auto", 1), "cpu");
  EXPECT_EQ(reduce_devices("auto", kWorthGpuBytes - 1), "cpu");
  EXPECT_EQ(reduce_devices("auto", kWorthGpuBytes), "auto");
  EXPECT_EQ(reduce_devices("auto,cpu", 1), "cpu");
  EXPECT_EQ(reduce_devices("reference,auto", 1), "reference, cpu");
}

TEST(ReduceDevices, AGpuForFilesWorksBesideTheCores) {
  EXPECT_EQ(with_cores("cuda:1"), "cuda:1, cpu");
  EXPECT_EQ(with_cores("cpu"), "cpu");
}

TEST(ReduceDevices, AutoStaysForArraysThatAreMade) {
  EXPECT_EQ(reduce_devices("auto", 0), "auto");
}

TEST(ReduceDevices, WhatIsNamedIsObeyed) {
  EXPECT_EQ(reduce_devices("opencl", 1), "opencl");
  EXPECT_EQ(reduce_devices("cpu,opencl:0.0", 0), "cpu, opencl:0.0");
  EXPECT_EQ(reduce_devices("cpu:emu128,reference", 1), "cpu:emu128, reference");
}

}  // namespace
}  // namespace tessera::reduce
