#include "report/json_parts.hpp"
#include "report/printers.hpp"
#include "report/starts.hpp"

namespace tessera::report {

namespace {

constexpr const char* kReportSchema = "tessera-report-1";

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

/// The keys that a rank and the totals share.
Json render_work_json(const RankReport& rank) {
  return {
      {"workers", rank.workers()},
      {"tiles", rank.tiles},
      {"pixels", rank.pixels},
      {"iterations", rank.iterations},
      {"executed_iterations", rank.executed},
      {"uncertain_pixels", rank.uncertain.all},
      {"uncertain_on_gpu", rank.uncertain.on_gpu},
      {"uncertain_with_more_bits", rank.uncertain.with_more_bits},
      {"undecided_pixels", rank.uncertain.undecided},
      {"stored_bytes", rank.bytes},
      {"peak_memory_bytes", rank.peak_memory_bytes},
      {"busy_s", rank.busy_s()},
      {"stages", stages_json([&](std::size_t i) { return rank.seconds(static_cast<Stage>(i)); })}};
}

Json work_and_threads_json(const RankReport& rank) {
  Json json = render_work_json(rank);
  Json threads = Json::array();
  for (const ThreadReport& thread : rank.threads) threads.push_back(thread_json(thread));
  json["threads"] = std::move(threads);
  return json;
}

}  // namespace

Json to_document(const RunReport& run) {
  const RankReport total = totals(run.ranks);
  const auto rate = [&](std::uint64_t count) {
    return run.wall_s > 0 ? static_cast<double>(count) / run.wall_s : 0;
  };
  Json json = {{"schema", kReportSchema},
               {"command", run.command},
               {"version", run.version},
               {"job", texts_json(run.job)},
               {"outputs", texts_json(run.outputs)},
               {"output_bytes", run.output_bytes},
               {"found_complete", run.found_complete},
               {"found_tiles", run.found_tiles},
               {"damaged_tiles", run.damaged_tiles},
               {"in_flight", in_flight_json(run.in_flight)},
               {"wall_s", run.wall_s},
               {"pixels_per_s", rate(total.pixels)},
               {"iterations_per_s", rate(total.iterations)},
               {"load_balance_ratio", load_balance(run)},
               {"computing_share_ratio", computing_share(run)},
               {"total", render_work_json(total)},
               {"ranks", ranks_json(run.ranks, work_and_threads_json)}};
  add_energy(json, run.ranks, "gigapixel", static_cast<double>(total.pixels) * 1e-9);
  add_starts(json, run.state, start_of(run.ranks, run.wall_s));
  if (run.images == 0) return json;
  json["images"] = run.images;
  json["found_images"] = run.found_images;
  return json;
}

std::string to_json(const RunReport& run) {
  return dump(to_document(run));
}

}  // namespace tessera::report
