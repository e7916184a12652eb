#include <fmt/format.h>

#include <cmath>

#include "report/json_parts.hpp"
#include "report/reduce_report.hpp"
#include "report/starts.hpp"

namespace tessera::report {

namespace {

constexpr const char* kReduceSchema = "tessera-reduce-1";

/// The nearest f64 for integers of more than 64 bits; null for NaN and infinities, which JSON
/// lacks. Readers take -0 for an integer, which has no sign.
Json number_json(const std::string& text) {
  if (text == "-0") return -0.0;
  Json number = Json::parse(text, nullptr, false);
  return number.is_discarded() ? Json(nullptr) : number;
}

/// The number, and its exact text for readers that keep fewer digits.
Json value_json(const ReducedValue& value) {
  Json json = {{"value", number_json(value.text)}, {"decimal", value.text}};
  json["hex"] =
      value.real ? Json(std::isfinite(*value.real) ? fmt::format("{:a}", *value.real) : value.text)
                 : Json(nullptr);
  return json;
}

Json operation_json(const ReducedOperation& operation) {
  Json values = Json::array();
  for (const ReducedValue& value : operation.values) values.push_back(value_json(value));
  Json json = {{"op", operation.name}, {"values", std::move(values)}};
  for (const double edge : operation.edges) {
    json["edges"].push_back(value_json({fmt::format("{}", edge), edge}));
  }
  if (!operation.coordinates.empty()) json["coordinates"] = operation.coordinates;
  if (!operation.coordinates_each.empty()) json["coordinates"] = operation.coordinates_each;
  for (const ReducedPlace& place : operation.places) {
    json["places"].push_back({{"array", place.array}, {"coordinates", place.coordinates}});
  }
  return json;
}

Json array_json(const ReducedArray& array) {
  Json json = {
      {"op", array.name}, {"dtype", array.type}, {"shape", array.shape}, {"file", array.file}};
  if (!array.dataset.empty()) json["dataset"] = array.dataset;
  return json;
}

Json groups_json(const ReducedGroups& groups) {
  Json rows = Json::array();
  for (const auto& row : groups.rows) {
    Json cells = Json::array();
    for (const std::string& cell : row) cells.push_back(number_json(cell));
    rows.push_back(std::move(cells));
  }
  Json json = {{"count", groups.count},
               {"columns", groups.columns},
               {"dtypes", groups.types},
               {"rows", std::move(rows)},
               {"left_out_nans", groups.left_out_nans},
               {"left_out_missing", groups.left_out_missing},
               {"left_out_outside", groups.left_out_outside},
               {"stored_bytes", groups.stored_bytes}};
  if (!groups.file.empty()) json["file"] = groups.file;
  return json;
}

/// The keys that a rank and the totals share.
Json reduce_work_json(const RankReport& rank) {
  return {{"workers", rank.workers()},
          {"slices", rank.slices},
          {"elements", rank.elements},
          {"bytes", rank.bytes},
          {"read_s", rank.read_s},
          {"reduce_s", reduce_s(rank)},
          {"wait_s", rank.worker_seconds(Stage::wait)},
          {"peak_memory_bytes", rank.peak_memory_bytes}};
}

/// Factors that are absent are null.
Json decoding_json(const ReducedDecoding& decoded) {
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  return {{"scale_factor", number(decoded.scale_factor)},
          {"add_offset", number(decoded.add_offset)},
          {"type", decoded.type},
          {"stored", decoded.stored}};
}

}  // namespace

std::string to_json(const ReduceReport& run) {
  const RankReport total = totals(run.ranks);
  Json json = {{"schema", kReduceSchema},
               {"command", run.command},
               {"version", run.version},
               {"job", texts_json(run.job)},
               {"array",
                {{"input", run.input},
                 {"kind", run.kind},
                 {"dtype", run.type},
                 {"shape", run.shape},
                 {"elements", run.elements}}}};
  if (run.state.stopped.empty()) {  // not known before the end
    json["array"]["nans"] = run.nans;
    json["array"]["positive_infinities"] = run.positive_infinities;
    json["array"]["negative_infinities"] = run.negative_infinities;
  }
  if (run.decoded) json["array"]["decoded"] = decoding_json(*run.decoded);
  if (run.may_miss) {
    json["array"]["missing"] = {{"fill", run.missing_fill}, {"range", run.missing_range}};
  }
  Json operations = Json::array();
  for (const ReducedOperation& operation : run.operations) {
    operations.push_back(operation_json(operation));
  }
  for (const ReducedArray& array : run.arrays) operations.push_back(array_json(array));
  json["results"] = std::move(operations);
  if (run.groups) json["groups"] = groups_json(*run.groups);
  if (run.kept) json["kept"] = {{"file", run.kept->file}, {"arrays", run.kept->arrays}};
  json["wall_s"] = run.wall_s;
  json["work_s"] = run.work_s;
  json["bytes_per_s"] = run.work_s > 0 ? static_cast<double>(total.bytes) / run.work_s : 0;
  json["found_slices"] = run.found_slices;
  json["found_complete"] = run.found_complete;
  json["in_flight"] = in_flight_json(run.in_flight);
  json["total"] = reduce_work_json(total);
  json["ranks"] = ranks_json(run.ranks, reduce_work_json);
  add_energy(json, run.ranks, "terabyte", static_cast<double>(total.bytes) * 1e-12);
  add_starts(json, run.state, start_of(run.ranks, run.wall_s));
  return dump(json);
}

}  // namespace tessera::report
