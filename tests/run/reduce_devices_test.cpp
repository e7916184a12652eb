#include "run/reduce_devices.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::run {
namespace {

TEST(ReduceDevices, AutoIsTheCoresForFiles) {
  EXPECT_EQ(reduce_devices("auto", {}), "cpu");
  EXPECT_EQ(reduce_devices("auto,cpu", {}), "cpu");
  EXPECT_EQ(reduce_devices("reference,auto", {}), "reference, cpu");
}

TEST(ReduceDevices, AutoStaysForArraysThatAreMade) {
  EXPECT_EQ(reduce_devices("auto", {.made = true}), "auto");
  EXPECT_EQ(reduce_devices("auto", {.made = true, .cores_only = "--axis"}), "cpu");
}

TEST(ReduceDevices, WhatIsNamedIsObeyed) {
  EXPECT_EQ(reduce_devices("opencl", {}), "opencl");
  EXPECT_EQ(reduce_devices("cpu,opencl:0.0", {.made = true}), "cpu, opencl:0.0");
  EXPECT_EQ(reduce_devices("cpu:emu128,reference", {.cores_only = "--axis"}),
            "cpu:emu128, reference");
}

TEST(ReduceDevices, NoGpuForWhatOnlyCoresDo) {
  try {
    reduce_devices("cpu,opencl:0.0", {.cores_only = "--op prod"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_STREQ(error.what(), "--device opencl:0.0: --op prod runs on cpu and reference");
  }
}

}  // namespace
}  // namespace tessera::run
