#include "api/call.hpp"
#include "binding/rank_devices.hpp"
#include "device/select/discovery.hpp"

namespace tessera::v0 {

std::vector<Device> devices(Context& context, const Run& run) {
  std::vector<Device> found;
  api::call(context, run, [&](run::Context& inside) {
    job::RunSpec spec;
    api::apply(context.settings(), spec);
    const auto detected =
        device::discover_all(binding::place_of(inside.world, spec), binding::isolation_of(spec));
    for (const device::DetectedDevice& one : detected) {
      found.push_back({.name = one.info.name,
                       .detail = one.info.detail,
                       .reason = one.info.reason,
                       .memory_bytes = one.info.memory_bytes,
                       .is_gpu = one.info.is_gpu});
    }
  });
  return found;
}

}  // namespace tessera::v0
