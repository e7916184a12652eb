#include "reduce/reduce_devices.hpp"

#include <gtest/gtest.h>

namespace tessera::reduce {
namespace {

TEST(ReduceDevices, AutoIsTheCoresForFiles) {
  EXPECT_EQ(reduce_devices("auto", false), "cpu");
  EXPECT_EQ(reduce_devices("auto,cpu", false), "cpu");
  EXPECT_EQ(reduce_devices("reference,auto", false), "reference, cpu");
}

TEST(ReduceDevices, AutoStaysForArraysThatAreMade) {
  EXPECT_EQ(reduce_devices("auto", true), "auto");
}

TEST(ReduceDevices, WhatIsNamedIsObeyed) {
  EXPECT_EQ(reduce_devices("opencl", false), "opencl");
  EXPECT_EQ(reduce_devices("cpu,opencl:0.0", true), "cpu, opencl:0.0");
  EXPECT_EQ(reduce_devices("cpu:emu128,reference", false), "cpu:emu128, reference");
}

}  // namespace
}  // namespace tessera::reduce
