// Which devices a parity program compares with the reference: each program links one answer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::device {

/// As --device takes them. A name whose device is not there stays in the list, so that its tests
/// are reported as skipped.
std::vector<std::string> parity_devices();

/// Those of them that render into shuffled planes.
inline std::vector<std::string> shuffling_devices() {
  std::vector<std::string> names = parity_devices();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("cpu"); });
  return names;
}

/// Why the device cannot be tested here, or "". Under TESSERA_REQUIRE_OPENCL, which CI sets, a
/// missing OpenCL device is a failure.
std::string why_skipped(const std::string& device);

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// A fixture whose tests are skipped, with the reason, where their device is not.
class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_skipped(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace tessera::device
