#include "report/json_parts.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/version.hpp"

namespace tessera::report {

Json devices_json(const std::vector<LostDevice>& devices) {
  Json json = Json::array();
  for (const auto& [device, cause] : devices)
    json.push_back({{"device", device}, {"cause", cause}});
  return json;
}

namespace {

Json openings_json(const std::vector<DeviceOpening>& openings) {
  Json json = Json::array();
  for (const DeviceOpening& opening : openings) {
    Json one = {{"device", opening.device.empty() ? Json() : Json(opening.device)},
                {"outcome", opening.outcome},
                {"cause", opening.cause.empty() ? Json() : Json(opening.cause)},
                {"after_s", opening.after_s}};
    for (const auto& part : opening.parts) one[part.name + "_s"] = opening.seconds(part.name);
    json.push_back(std::move(one));
  }
  return json;
}

Json memory_json(const std::vector<DeviceMemory>& memory) {
  Json json = Json::array();
  for (const auto& [device, peak_bytes] : memory)
    json.push_back({{"device", device}, {"peak_bytes", peak_bytes}});
  return json;
}

Json meters_json(const std::vector<MeterReport>& meters) {
  Json all = Json::array();
  for (const MeterReport& meter : meters) {
    Json json = {
        {"device", meter.device}, {"measured_s", meter.measured_s}, {"energy_j", meter.energy_j}};
    for (std::size_t i = 0; i < base::kMeasures.size(); ++i) {
      json[fmt::format("mean_{}", base::kMeasures[i])] = meter.mean[i];
      json[fmt::format("max_{}", base::kMeasures[i])] = meter.most[i];
    }
    all.push_back(std::move(json));
  }
  return all;
}

/// The same with names and texts that are UTF-8.
Json in_utf8(const Json& json) {
  if (json.is_string()) return base::as_utf8(json.get<std::string>());
  if (!json.is_structured()) return json;
  Json all = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      all.push_back(in_utf8(value));
    } else {
      all[base::as_utf8(key)] = in_utf8(value);
    }
  }
  return all;
}

}  // namespace

Json in_flight_json(const InFlight& in_flight) {
  Json lost = Json::array();
  for (const auto& [rank, host] : in_flight.lost) lost.push_back({{"rank", rank}, {"host", host}});
  return {{"reissued_items", in_flight.repeats.reissued},
          {"recalled_items", in_flight.repeats.recalled},
          {"copied_items", in_flight.repeats.copied},
          {"answers_dropped", in_flight.repeats.answered_again},
          {"lost_ranks", std::move(lost)}};
}

Json texts_json(const std::vector<std::pair<std::string, std::string>>& texts) {
  Json json = Json::object();
  for (const auto& [key, text] : texts) json[key] = text;
  return json;
}

Json document(const std::string& command) {
  return {{"schema", "tessera-" + command + "-1"},
          {"command", command},
          {"version", base::version_and_commit()}};
}

std::string dump(const Json& json) {
  try {
    return json.dump(2) + "\n";
  } catch (const Json::type_error&) {
    return in_utf8(json).dump(2) + "\n";
  }
}

void add_energy(Json& json, std::span<const RankReport> ranks, const std::string& per,
                double amount) {
  const Energy energy = energy_of(ranks);
  json["energy_j"] = energy.all_j();
  json["cores_energy_j"] = energy.cores_j;
  json["gpu_energy_j"] = energy.gpus_j;
  json[fmt::format("energy_per_{}_j", per)] = amount > 0 ? energy.all_j() / amount : base::kNotTold;
}

Json ranks_json(std::span<const RankReport> ranks, Json (*numbers_of)(const RankReport&)) {
  Json all = Json::array();
  for (const RankReport& rank : ranks) {
    Json json = {{"rank", rank.rank}, {"host", rank.host}, {"device", rank.device}};
    json.update(numbers_of(rank));
    json["lost"] = devices_json(rank.lost);
    json["restarted"] = devices_json(rank.restarted);
    json["openings"] = openings_json(rank.openings);
    json["device_memory"] = memory_json(rank.device_memory);
    json["meters"] = meters_json(rank.meters);
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace tessera::report
