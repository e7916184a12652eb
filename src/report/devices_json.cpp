#include "report/devices.hpp"
#include "report/json_parts.hpp"

namespace tessera::report {
namespace {

constexpr const char* kDevicesSchema = "tessera-devices-1";

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json rate_or_null(double rate) {
  return rate > 0 ? Json(rate) : Json();
}

Json check_json(const DeviceCheck& check) {
  if (!check.made) return {};
  return {{"wall_s", check.wall_s},
          {"open_s", check.open_s},
          {"iterations_per_s", rate_or_null(check.iterations_per_s)},
          {"memory_bytes_per_s", rate_or_null(check.memory_bytes_per_s)},
          {"to_device_bytes_per_s", rate_or_null(check.to_device_bytes_per_s)},
          {"from_device_bytes_per_s", rate_or_null(check.from_device_bytes_per_s)},
          {"compared", check.compared},
          {"problems", check.problems},
          {"advice", check.advice}};
}

Json device_json(const DeviceLine& device) {
  const bool known = !device.what.empty();
  return {{"name", device.name},
          {"what", text_or_null(device.what)},
          {"gpu", device.gpu},
          {"memory_bytes", device.memory_bytes > 0 ? Json(device.memory_bytes) : Json()},
          {"driver", text_or_null(device.driver)},
          {"compute", text_or_null(device.compute)},
          {"fp64", known ? Json(device.fp64) : Json()},
          {"uuid", text_or_null(device.uuid)},
          {"pci", text_or_null(device.pci)},
          {"near", device.gpu ? Json(device.near) : Json()},
          {"used", device.reason.empty()},
          {"reason", text_or_null(device.reason)},
          {"check", check_json(device.check)}};
}

Json rank_json(const RankDevices& rank) {
  Json devices = Json::array();
  for (const DeviceLine& device : rank.devices) devices.push_back(device_json(device));
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"node_rank", rank.node_rank},
          {"node_ranks", rank.node_ranks},
          {"allowed_cores", rank.allowed_cores},
          {"node_cores", rank.node_cores},
          {"numa_nodes", rank.numa_nodes},
          {"uses", rank.uses},
          {"workers", rank.workers},
          {"problem", text_or_null(rank.problem)},
          {"devices", std::move(devices)}};
}

}  // namespace

std::string to_json(const DevicesReport& report) {
  Json ranks = Json::array();
  for (const RankDevices& rank : report.ranks) ranks.push_back(rank_json(rank));
  const Json json = {{"schema", kDevicesSchema},
                     {"version", report.version},
                     {"device", report.device_list},
                     {"ranks", std::move(ranks)}};
  // The names that drivers give may be any bytes; invalid UTF-8 is replaced and does not throw.
  return dump(json);
}

}  // namespace tessera::report
