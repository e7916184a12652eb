#include "reduce/axes/output_scales.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reduce/axes/map_plan.hpp"
#include "reduce/input/regrouped_array.hpp"
#include "store/arrays/dimension_scales.hpp"

namespace tessera::reduce {

namespace {

/// The scale of the last dimension of a result with several values.
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

}  // namespace

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
  auto scales = store::read_scales(kept, task.plan.outputs());
  if (groups != nullptr) {
    scales.front() = std::make_shared<const store::WrittenScale>(groups->scale());
  }
  for (std::size_t i = 0; i < task.arrays.size(); ++i) {
    std::vector<std::shared_ptr<const store::WrittenScale>>& own = task.arrays[i].scales;
    own = scales;
    if (task.reduction == nullptr) {
      const std::vector<store::Dimension> used = mapped_source(task).dimensions_of(i);
      if (used != all) own = store::read_scales(used, task.plan.outputs());
    }
    if (scales.empty() || !task.results[i].is_list) continue;
    store::WrittenScale last = scale_of_values(task.results[i], *task.reduction);
    // Quantiles of quantiles have two dimensions of probabilities.
    const auto has_name = [&](const auto& scale) { return scale->name == last.name; };
    if (std::ranges::any_of(own, has_name)) last.name += fmt::format("_{}", own.size());
    own.push_back(std::make_shared<const store::WrittenScale>(std::move(last)));
  }
}

}  // namespace tessera::reduce
