#include <nlohmann/json.hpp>

#include "report/printers.hpp"

namespace tessera::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tessera-report-1";

template <class SecondsOf>
Json stages_json(SecondsOf seconds_of) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStages; ++i) {
    stages[std::string(kStageNames[i]) + "_s"] = seconds_of(i);
  }
  return stages;
}

Json thread_json(const ThreadReport& thread) {
  return {{"name", thread.name},
          {"worker", thread.worker},
          {"stages", stages_json([&](std::size_t i) { return thread.seconds[i]; })}};
}

/// What a rank and all ranks together have in common.
Json work_json(const RankReport& rank) {
  return {
      {"workers", rank.workers()},
      {"tiles", rank.tiles},
      {"pixels", rank.pixels},
      {"iterations", rank.iterations},
      {"executed_iterations", rank.executed},
      {"stored_bytes", rank.bytes},
      {"peak_memory_bytes", rank.peak_memory_bytes},
      {"busy_s", rank.busy_s()},
      {"stages", stages_json([&](std::size_t i) { return rank.seconds(static_cast<Stage>(i)); })}};
}

Json devices_json(const std::vector<LostDevice>& devices) {
  Json json = Json::array();
  for (const auto& [device, cause] : devices)
    json.push_back({{"device", device}, {"cause", cause}});
  return json;
}

Json rank_json(const RankReport& rank) {
  Json json = {{"rank", rank.rank}, {"host", rank.host}, {"device", rank.device}};
  json.update(work_json(rank));
  Json threads = Json::array();
  for (const ThreadReport& thread : rank.threads) threads.push_back(thread_json(thread));
  json["threads"] = std::move(threads);
  json["lost"] = devices_json(rank.lost);
  json["restarted"] = devices_json(rank.restarted);
  return json;
}

Json in_flight_json(const InFlight& in_flight) {
  Json lost = Json::array();
  for (const auto& [rank, host] : in_flight.lost) lost.push_back({{"rank", rank}, {"host", host}});
  return {{"reissued_items", in_flight.repeats.reissued},
          {"copied_items", in_flight.repeats.copied},
          {"answers_dropped", in_flight.repeats.answered_again},
          {"lost_ranks", std::move(lost)}};
}

Json texts_json(const std::vector<std::pair<std::string, std::string>>& texts) {
  Json json = Json::object();
  for (const auto& [key, text] : texts) json[key] = text;
  return json;
}

}  // namespace

std::string to_json(const RunReport& run) {
  const RankReport total = totals(run);
  const auto rate = [&](std::uint64_t count) {
    return run.wall_s > 0 ? static_cast<double>(count) / run.wall_s : 0;
  };
  Json json = {{"schema", kSchema},
               {"command", run.command},
               {"version", run.version},
               {"job", texts_json(run.job)},
               {"outputs", texts_json(run.outputs)},
               {"output_bytes", run.output_bytes},
               {"found_tiles", run.found_tiles},
               {"damaged_tiles", run.damaged_tiles},
               {"in_flight", in_flight_json(run.in_flight)},
               {"wall_s", run.wall_s},
               {"pixels_per_s", rate(total.pixels)},
               {"iterations_per_s", rate(total.iterations)},
               {"load_balance_ratio", load_balance(run)},
               {"computing_share_ratio", computing_share(run)},
               {"total", work_json(total)}};
  Json ranks = Json::array();
  for (const RankReport& rank : run.ranks) ranks.push_back(rank_json(rank));
  json["ranks"] = std::move(ranks);
  // A path may be any bytes; what is not UTF-8 in it is replaced, not thrown over.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera::report
