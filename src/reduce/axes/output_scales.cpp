#include "reduce/axes/output_scales.hpp"

#include <cstring>

#include "reduce/input/regrouped_array.hpp"
#include "store/arrays/dimension_scales.hpp"

namespace tessera::reduce {

void set_scales(AxisReduction& task) {
  const store::ArraySource& shown = task.source->shown();
  const auto* const groups = dynamic_cast<const RegroupedArray*>(task.source);
  std::vector<store::Dimension> all = shown.dimensions();
  if (all.empty() && groups == nullptr) return;
  all.resize(shown.info().shape.size());
  const std::vector<bool>& reduced = task.plan.reduced();
  const auto before = static_cast<std::size_t>(task.source->dimensions_before());
  std::vector<store::Dimension> kept(before);
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (!reduced[before + d]) kept.push_back(all[d]);
  }
  if (groups != nullptr) kept.front().name = groups->scale().name;
  task.scales = store::read_scales(kept, task.plan.outputs());
  if (groups != nullptr) {
    task.scales.front() = std::make_shared<const store::WrittenScale>(groups->scale());
  }
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
