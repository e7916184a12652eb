// Opens the lanes of a reduction along axes.
#include "base/error.hpp"
#include "device/powers/power_reducers.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/open_lanes.hpp"

namespace tessera::reduce {

namespace {

bool device_keeps_elements(const AxisReduction& task, device::AxisReducer& reducer) {
  if (task.source->info().missing) return false;
  const std::int64_t each = task.plan.elements_each();
  const statistics::OrderPasses passes(*task.reduction, task.output_spec.spec.type, each, 0);
  return reducer.keep_elements(task.plan.max_outputs(), each, passes);
}

}  // namespace

std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices) {
  LaneBudget budget(task.job->memory_bytes);
  const job::ArrayInput* const input = task.source->generated();
  const std::uint64_t element_bytes = base::element_bytes(task.output_spec.spec.type);
  const auto open = [&](const device::Device& device) {
    auto reducer = device::open_axis_reducer(device, task.device_spec());
    // A device that lacks memory then fails here, not in the middle of the run.
    if (reducer && reducer->batch_bytes() > 0) reducer->begin(task.plan.max_outputs());
    return reducer;
  };
  const auto equip = [&](AxisLane& lane) {
    std::uint64_t batch = 0;
    const bool keeps = task.keeps_keys && !device_keeps_elements(task, *lane.reducer);
    // The lane's thread then needs the elements, too.
    if (!keeps && input != nullptr && lane.reducer->generates(*input)) {
      lane.generated = input;
    } else {
      if (!keeps) lane.mapped = MappedReader::open(*task.source, *lane.reducer, false);
      const std::int64_t most = task.plan.max_elements();
      const std::uint64_t piece_bytes = lane.mapped
                                            ? lane.mapped->bytes_for(most)
                                            : static_cast<std::uint64_t>(most) * element_bytes;
      batch = batch_bytes(lane.reducer->batch_bytes(), piece_bytes, task.job->slice_bytes);
    }
    if (!budget.take(task.lane_bytes(keeps) + batch)) return false;
    if (batch > 0) {
      lane.batch = lane.reducer->make_host_buffer(batch);
      lane.batch_room = lane.mapped ? lane.mapped->use(lane.batch->bytes())
                                    : static_cast<std::int64_t>(batch / element_bytes);
    }
    lane.reader = std::make_unique<PieceReader>(*task.source);
    if (keeps) {
      lane.keys.emplace(*task.reduction, task.source->info().type, task.plan.elements_each(),
                        task.source->info().missing);
    }
    if (const auto& missing = task.source->info().missing) {
      lane.missing.emplace(task.output_spec, *missing);
    }
    return true;
  };
  auto lanes = open_lanes<AxisLane>(devices, "does not reduce along axes", open, equip);
  if (!lanes.empty()) return lanes;
  const auto [given, needed] = budget.given_and_needed();
  throw base::usage_error("--memory {}: with --axis, one thread needs {}; give at least that",
                          given, needed);
}

}  // namespace tessera::reduce
