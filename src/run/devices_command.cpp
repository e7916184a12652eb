// tessera devices: a block for each rank.
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "device/registry.hpp"
#include "device/threads.hpp"
#include "run/agree.hpp"
#include "run/command.hpp"
#include "run/lanes.hpp"

namespace tessera::run {
namespace {

std::string describe_rank(const comm::World& world) {
  const device::Placement placement = place_of(world, 0);
  const device::CoreCount cores = device::count_cores();
  std::string text =
      fmt::format("rank {} on {} (number {} of {} there), {} of {} cores allowed\n", world.rank(),
                  world.host(), world.node_rank(), world.node_ranks(), cores.allowed, cores.node);
  std::vector<device::DeviceInfo> devices;
  for (const device::Backend& backend : device::backends()) {
    for (auto& info : backend.list(placement)) devices.push_back(std::move(info));
  }
  for (auto& info : device::absent_backends()) devices.push_back(std::move(info));
  for (const device::DeviceInfo& info : devices) {
    const std::string reason = info.reason.empty() ? "" : "cannot be used: " + info.reason;
    text += fmt::format("  {:<14} {}{}\n", info.name, info.detail, reason);
  }
  const Lanes chosen("auto", 0, world);
  text += fmt::format("  auto         = {}, {} thread(s)\n", chosen.names(), chosen.count());
  return text;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  app.callback([&action] {
    action = [](comm::World& world) {
      base::ByteWriter mine;
      agree(world, [&] { mine.put_text(describe_rank(world)); });
      for (const base::Bytes& part : world.gather(mine.take())) {
        if (world.is_root()) fmt::print("{}", base::ByteReader(part).get_text());
      }
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::run
