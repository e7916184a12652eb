#include <fmt/format.h>

#include "report/bench_printers.hpp"
#include "report/json_parts.hpp"

namespace tessera::report {

namespace {

constexpr const char* kBenchSchema = "tessera-bench-1";

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json device_json(const BenchDevice& device) {
  return {{"name", device.name},     {"detail", device.detail},
          {"driver", device.driver}, {"is_gpu", device.is_gpu},
          {"lanes", device.lanes},   {"memory_bytes", device.memory_bytes}};
}

Json times_json(const CallTimes& times) {
  return {
      {"first_s", times.first_s}, {"later_median_s", times.median_s()}, {"later_s", times.later_s}};
}

Json render_json(const BenchReport& bench, const RenderCase& render) {
  Json json = {{"device", render.device},
               {"side_px", render.side_px},
               {"max_iterations", render.iterations}};
  json.update(times_json(render.times));
  json.update({{"pixels_per_s", render.pixels_per_s()},
               {"iterations", render.iterations_done},
               {"iterations_per_s", render.iterations_per_s()},
               {"speed_ratio", value_or_null(ratio_to_baseline(bench, render))},
               {"checksum", fmt::format("{:016x}", render.checksum)}});
  return json;
}

Json array_json(const ArrayCase& array) {
  Json json = {
      {"device", array.device}, {"work", key_of(array.work)}, {"elements", array.elements}};
  json.update(times_json(array.times));
  json.update({{"moved_bytes", array.bytes()}, {"bytes_per_s", array.bytes_per_s()}});
  return json;
}

/// For every device except the baseline.
Json pays_json(const BenchReport& bench) {
  Json json = Json::array();
  const BenchDevice* const cpu = baseline(bench);
  if (cpu == nullptr) return json;
  for (const std::uint32_t iterations : iterations_of(bench)) {
    for (const BenchDevice& device : bench.devices) {
      if (&device == cpu) continue;
      const auto from = [&](Calls calls) {
        return value_or_null(pays_from(bench, device.name, iterations, calls));
      };
      json.push_back({{"device", device.name},
                      {"max_iterations", iterations},
                      {"later_from_px", from(Calls::later)},
                      {"first_from_px", from(Calls::first)}});
    }
  }
  return json;
}

template <class List, class Print>
Json list_json(const List& list, Print print) {
  Json json = Json::array();
  for (const auto& one : list) json.push_back(print(one));
  return json;
}

}  // namespace

std::string to_json(const BenchReport& bench) {
  const BenchDevice* const cpu = baseline(bench);
  Json job = Json::object();
  for (const auto& [key, text] : bench.job) job[key] = text;
  const Json json = {
      {"schema", kBenchSchema},
      {"command", "bench"},
      {"version", bench.version},
      {"host", bench.host},
      {"job", job},
      {"wall_s", bench.wall_s},
      {"baseline", cpu == nullptr ? Json(nullptr) : Json(cpu->name)},
      {"devices", list_json(bench.devices, device_json)},
      {"renders",
       list_json(bench.renders, [&](const auto& one) { return render_json(bench, one); })},
      {"pays", pays_json(bench)},
      {"arrays", list_json(bench.arrays, array_json)},
      {"left_out", bench.left_out},
      {"problems", bench.problems}};
  return dump(json);
}

}  // namespace tessera::report
