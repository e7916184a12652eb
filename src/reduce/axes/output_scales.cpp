#include "reduce/axes/output_scales.hpp"

#include <cstring>

#include "store/arrays/dimension_scales.hpp"

namespace tessera::reduce {

void set_scales(AxisReduction& task) {
  const std::vector<store::Dimension>& all = task.source->shown().dimensions();
  if (all.empty()) return;
  const std::vector<bool> reduced = reduced_in(*task.source, *task.job);
  std::vector<store::Dimension> kept;
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (!reduced[d]) kept.push_back(all[d]);
  }
  task.scales = store::read_scales(kept, task.plan.outputs());
  for (store::WrittenArray& mapped : task.arrays) mapped.scales = task.scales;
}

store::WrittenScale scale_of_values(const statistics::AnswerType& result,
                                    const job::ReduceJob& job) {
  using enum job::Operation;
  store::WrittenScale scale{.length = result.values_each};
  switch (result.operation) {
    case quantile:
      scale.name = "probability";
      scale.values.resize(job.quantiles.size() * sizeof(double));
      std::memcpy(scale.values.data(), job.quantiles.data(), scale.values.size());
      break;
    case minmax:
      scale.name = "extreme";
      break;
    case histogram:
      scale.name = "histogram_bin";
      break;
    default:
      scale.name = fmt::format("{}_place", job::operation_name(result.operation));
  }
  return scale;
}

}  // namespace tessera::reduce
