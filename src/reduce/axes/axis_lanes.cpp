// Opens the lanes of a reduction along axes.
#include "base/error.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/open_lanes.hpp"

namespace tessera::reduce {

std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices) {
  LaneBudget budget(task.job->memory_bytes);
  const job::ArrayInput* const input = task.source->generated();
  const auto piece_bytes = static_cast<std::uint64_t>(task.plan.most_elements()) *
                           base::element_bytes(task.output_spec.spec.type);
  const auto open = [&](const device::Device& device) {
    auto reducer = device.open_axis_reducer(task.output_spec);
    // Order statistics are found by the cores.
    if (task.keeps_keys() && reducer && reducer->batch_bytes() > 0) return decltype(reducer)();
    // A device that lacks memory then fails here, not in the middle of the run.
    if (reducer && reducer->batch_bytes() > 0) reducer->begin(task.plan.most_outputs());
    return reducer;
  };
  const auto equip = [&](AxisLane& lane) {
    std::uint64_t batch = 0;
    if (input != nullptr && lane.reducer->generates(*input)) {
      lane.generated = input;
    } else {
      batch = batch_bytes(lane.reducer->batch_bytes(), piece_bytes, task.job->slice_bytes);
    }
    if (!budget.take(task.lane_bytes() + batch)) return false;
    if (batch > 0) lane.batch = lane.reducer->make_host_buffer(batch);
    lane.reader = std::make_unique<PieceReader>(*task.source);
    if (task.keeps_keys()) {
      lane.keys.emplace(*task.job, task.source->info().type, task.plan.elements_each());
    }
    return true;
  };
  const char* const refusal =
      task.keeps_keys()
          ? "finds no medians, quantiles, modes or largest elements; --device cpu does"
          : "does not reduce along axes";
  auto lanes = open_lanes<AxisLane>(devices, refusal, open, equip);
  if (!lanes.empty()) return lanes;
  const auto [given, needed] = budget.given_and_needed();
  throw base::usage_error("--memory {}: with --axis, one thread needs {}; give at least that",
                          given, needed);
}

}  // namespace tessera::reduce
