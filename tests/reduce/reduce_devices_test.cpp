#include "reduce/reduce_devices.hpp"

#include <gtest/gtest.h>

namespace tessera::reduce {
namespace {

TEST(ReduceDevices, AutoIsTheCoresForFiles) {
  EXPECT_EQ(reduce_devices("auto", {}), "cpu");
  EXPECT_EQ(reduce_devices("auto,cpu", {}), "cpu");
  EXPECT_EQ(reduce_devices("reference,auto", {}), "reference, cpu");
}

TEST(ReduceDevices, AutoStaysForArraysThatAreMade) {
  EXPECT_EQ(reduce_devices("auto", {.made = true}), "auto");
}

TEST(ReduceDevices, WhatIsNamedIsObeyed) {
  EXPECT_EQ(reduce_devices("opencl", {}), "opencl");
  EXPECT_EQ(reduce_devices("cpu,opencl:0.0", {.made = true}), "cpu, opencl:0.0");
  EXPECT_EQ(reduce_devices("cpu:emu128,reference", {}), "cpu:emu128, reference");
}

}  // namespace
}  // namespace tessera::reduce
