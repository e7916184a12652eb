#include "device/select/registry.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::device {
namespace {

/// Expects `action` to throw with this code and a message that holds `words`.
template <class Action>
void expect_error(base::ExitCode code, const std::string& words, const Action& action) {
  try {
    action();
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Registry, EveryBackendListsDevicesThatOpenUnderTheirNamesOrSaysWhyNot) {
  for (const Backend& backend : backends()) {
    const auto infos = backend.list({.threads = 1});
    ASSERT_FALSE(infos.empty()) << backend.name;
    for (const DeviceInfo& info : infos) {
      if (backend.cores) {
        ASSERT_EQ(info.reason, "");
      }
      if (info.reason.empty()) {
        EXPECT_EQ(open_devices(info.name, {.threads = 1}).front()->info().name, info.name);
      } else {
        expect_error(base::ExitCode::missing, info.reason,
                     [&] { open_devices(info.name, {.threads = 1}); });
      }
    }
  }
}

TEST(Registry, OpensAListInItsOrder) {
  const auto devices = open_devices("reference, cpu", {.threads = 3});
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0]->info().name, "reference");
  EXPECT_EQ(devices[1]->info().name, "cpu");
  EXPECT_EQ(devices[0]->lanes(), 3);
  EXPECT_EQ(devices[1]->lanes(), 3);
}

TEST(Registry, TakesAListApart) {
  using Kind = Wanted::Kind;
  const auto wanted = parse_device_list("auto, cpu:avx2,reference");
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(wanted[0].kind, Kind::automatic);
  EXPECT_EQ(wanted[1].kind, Kind::named);
  EXPECT_EQ(wanted[1].name, "cpu:avx2");
  EXPECT_EQ(wanted[2].kind, Kind::named);  // a rank's cores are its own: nothing to choose from
}

TEST(Registry, NeedsToBeToldWhatAutoIs) {
  expect_error(base::ExitCode::failed, "auto", [] { open_devices("auto", {.threads = 1}); });
}

TEST(Registry, TheSameTwiceIsAMistake) {
  expect_error(base::ExitCode::usage, "'cpu' is there twice",
               [] { parse_device_list("cpu, cpu"); });
  expect_error(base::ExitCode::usage, "twice", [] { parse_device_list("auto,cpu,auto"); });
  EXPECT_EQ(parse_device_list("cpu,cpu:avx2").size(), 2U);
}

TEST(Registry, UnknownNameSuggestsTheNearest) {
  expect_error(base::ExitCode::usage, "did you mean 'reference'?",
               [] { parse_device_list("cpu,referense"); });
  expect_error(base::ExitCode::usage, "unknown device", [] { parse_device_list("abacus"); });
  expect_error(base::ExitCode::usage, "this build has", [] { parse_device_list("xpu"); });
}

TEST(Registry, NameThatThisBuildLacksIsMissing) {
  for (const DeviceInfo& absent : absent_backends()) {
    expect_error(base::ExitCode::missing, "this build has no",
                 [&] { parse_device_list(absent.name); });
  }
}

TEST(Registry, DevicesThatAreNotThereAreMissing) {
  expect_error(base::ExitCode::missing, "cuda", [] { open_devices("cuda:99", {}); });
  expect_error(base::ExitCode::missing, "opencl", [] { open_devices("opencl:99.0", {}); });
}

TEST(Registry, MeaninglessListsAndSelectors) {
  expect_error(base::ExitCode::usage, "no device", [] { parse_device_list(" "); });
  expect_error(base::ExitCode::usage, "cpu:", [] { parse_device_list("cpu:"); });
  for (const char* list : {"cuda:x", "opencl:a.b"}) {
    const std::string text = list;
    if (text.starts_with("cuda") && backends().front().name != "cuda") continue;
    expect_error(base::ExitCode::usage, "not the number of a device",
                 [&] { parse_device_list(text); });
  }
  expect_error(base::ExitCode::usage, "gpu:1", [] { parse_device_list("gpu:1"); });
  expect_error(base::ExitCode::usage, "auto:1", [] { parse_device_list("auto:1"); });
  expect_error(base::ExitCode::usage, "no selector", [] { open_devices("reference:1", {}); });
  expect_error(base::ExitCode::usage,
               "instruction sets are: ", [] { open_devices("cpu:mmx", {}); });
}

}  // namespace
}  // namespace tessera::device
