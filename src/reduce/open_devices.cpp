#include "reduce/open_devices.hpp"

#include "binding/device_choice.hpp"
#include "comm/agree.hpp"
#include "reduce/reduce_devices.hpp"

namespace tessera::reduce {

void open_reduce_devices(std::optional<binding::RankDevices>& devices, const ReduceDevices& wanted,
                         comm::World& world,
                         const std::function<void(const device::Device&)>& check) {
  const job::ReduceJob& job = wanted.job;
  std::string list;
  comm::agree(world, [&] { list = reduce_devices(job.device, {.generated = wanted.generated}); });
  const std::string chosen = binding::choose_devices(world, list, job);
  comm::agree(world, [&] {
    binding::open_chosen(list, chosen, world, [&](std::string_view names) {
      devices.emplace(names, job, world, wanted.items);
      // Checked here, while `auto` can still choose another device.
      if (list != device::kAuto) return;
      for (int device = 0; device < devices->count(); ++device) check((*devices)[device]);
    });
  });
}

}  // namespace tessera::reduce
