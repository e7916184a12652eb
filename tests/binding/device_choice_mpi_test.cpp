// Run by mpirun at several rank counts: ranks that see made-up GPUs come to one assignment. Exits
// with the number of failures.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "binding/device_choice.hpp"
#include "comm/agree.hpp"
#include "comm/launcher.hpp"

namespace tessera::binding {
namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "not so: {}\n", what);
  ++failures;
}

std::string name_for(comm::World& world, const std::vector<device::DetectedDevice>& detected) {
  const std::vector<device::Wanted> wanted = {{device::Wanted::Kind::automatic, "auto"}};
  const auto choice = device::choose(wanted, exchange_detected_devices(world, detected));
  return choice.names[static_cast<std::size_t>(world.node_rank())].front();
}

device::DetectedDevice gpu(int number, const std::string& uuid, bool near) {
  return {{.name = fmt::format("cuda:{}", number),
           .detail = "made up",
           .is_gpu = true,
           .uuid = uuid,
           .pci = "0000:17:00.0"},
          near};
}

void every_rank_has_a_gpu_under_the_same_name(comm::World& world) {
  const auto detected = {gpu(0, fmt::format("{:04}", world.rank()), false)};
  expect(name_for(world, detected) == "cuda:0", "another uuid is another GPU");
}

void one_gpu_for_all_goes_to_the_first(comm::World& world) {
  const std::string name = name_for(world, {gpu(0, "aa", false)});
  expect(name == (world.node_rank() == 0 ? "cuda:0" : "cpu"), "one GPU is driven by one rank");
}

void nearness_is_told_too(comm::World& world) {
  std::vector<device::DetectedDevice> detected;
  for (int i = 0; i < world.node_ranks(); ++i) {
    detected.push_back(
        gpu(i, fmt::format("{:04}", i), i == world.node_ranks() - 1 - world.node_rank()));
  }
  expect(name_for(world, detected) ==
             fmt::format("cuda:{}", world.node_ranks() - 1 - world.node_rank()),
         "every rank has the GPU at its cores");
}

void everything_that_a_choice_needs_is_told(comm::World& world) {
  device::DetectedDevice detected = gpu(0, "12", true);
  detected.info.reason = "broken";
  detected.info.fp64 = false;
  for (const device::RankDevicesSeen& sight : exchange_detected_devices(world, {{}, detected})) {
    const device::DetectedDevice& told = sight.devices.at(1);
    expect(told.info.name == "cuda:0" && told.info.detail == "made up" &&
               told.info.reason == "broken" && !told.info.fp64 && told.info.is_gpu && told.near &&
               told.info.uuid == "12" && told.info.pci == "0000:17:00.0",
           "a device arrives as it was sent");
  }
}

void a_mistake_ends_all_ranks_alike(comm::World& world) {
  try {
    choose_devices(world, "cpu,cpu", {});
    expect(false, "a list that holds a device twice is refused");
  } catch (const comm::AgreedError& error) {
    expect(error.code() == base::ExitCode::usage, "as a mistake of usage");
  }
}

void cores_are_there_everywhere(comm::World& world) {
  expect(choose_devices(world, "cpu, reference", {}).list == "cpu, reference",
         "what is named is taken");
}

}  // namespace
}  // namespace tessera::binding

int main() {
  using namespace tessera::binding;
  tessera::base::Events events;
  tessera::comm::World world = tessera::comm::has_launcher() ? tessera::comm::World::launch(events)
                                                             : tessera::comm::World::single();
  every_rank_has_a_gpu_under_the_same_name(world);
  one_gpu_for_all_goes_to_the_first(world);
  nearness_is_told_too(world);
  everything_that_a_choice_needs_is_told(world);
  a_mistake_ends_all_ranks_alike(world);
  cores_are_there_everywhere(world);
  return world.finalize(failures);
}
