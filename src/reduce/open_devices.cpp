#include "reduce/open_devices.hpp"

#include "comm/agree.hpp"
#include "binding/device_choice.hpp"
#include "reduce/reduce_devices.hpp"

namespace tessera::run {

void open_reduce_devices(std::optional<RankDevices>& devices, const ReduceDevices& wanted,
                         comm::World& world,
                         const std::function<void(const device::Device&)>& check) {
  const job::ReduceJob& job = wanted.job;
  std::string list;
  agree(world, [&] { list = reduce_devices(job.device, {.made = wanted.made}); });
  const std::string chosen = choose_devices(world, list, drive_of(job));
  agree(world, [&] {
    open_chosen(list, chosen, world, [&](std::string_view names) {
      devices.emplace(names, drive_of(job), world, wanted.items);
      // As long as what `auto` chose can still be another.
      if (list != device::kAuto) return;
      for (int device = 0; device < devices->count(); ++device) check((*devices)[device]);
    });
  });
}

}  // namespace tessera::run
