#include "reduce/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/run.hpp"
#include "reduce/input/key_sample.hpp"
#include "statistics/answers.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/weighted_passes.hpp"

namespace tessera::reduce {
namespace {

/// An operation, or several that share their passes.
struct PassPlanner {
  bool (*requested)(const job::ReduceJob& job);
  void (*begin)(const PassContext& context, PassRequest& first);
  void (*resume)(const PassContext& context, const PassRequest& last, SliceResult& all,
                 statistics::OrderFindings& found, PassRequest& next);
};

// --- a histogram: if its range is not given, the first pass finds it

bool wants_histogram(const job::ReduceJob& job) {
  return std::ranges::find(job.operations, job::Operation::histogram) != job.operations.end();
}

void begin_histogram(const PassContext& context, PassRequest& first) {
  first.range = context.job.histogram.range;
  first.histogram = first.range.has_value();
}

/// The range from the smallest to the largest number, as numpy.histogram chooses it.
HistogramRange histogram_range(const statistics::Partial& all, base::ElementType type) {
  const bool none = all.elements == all.nans;
  if (none) return {0, 1};
  HistogramRange range = statistics::range_of(all, type);
  if (!std::isfinite(range.second - range.first)) {
    throw base::usage_error(
        "--op histogram: the elements are from {} to {}; say which part is wanted, as "
        "histogram=BINS,LO,HI",
        range.first, range.second);
  }
  if (range.first == range.second) range = {range.first - 0.5, range.second + 0.5};
  return range;
}

void continue_histogram(const PassContext& context, const PassRequest& last, SliceResult& all,
                        statistics::OrderFindings&, PassRequest& next) {
  next.range = last.range;
  if (next.range) return;
  next.range = histogram_range(all.partial, context.source.info().type);
  next.histogram = true;
}

// --- order statistics

statistics::OrderPasses order_passes(const PassContext& context) {
  const store::ArrayInfo& array = context.source.info();
  return {context.job, array.type, plan::element_count(array.shape),
          order_bytes(context.job) / (4 * sizeof(statistics::ElementKey))};
}

void begin_order(const PassContext& context, PassRequest& first) {
  const statistics::OrderPasses passes = order_passes(context);
  first.keys =
      passes.first(passes.samples() ? read_key_sample(context.source) : statistics::KeySample());
}

void continue_order(const PassContext& context, const PassRequest& last, SliceResult& all,
                    statistics::OrderFindings& found, PassRequest& next) {
  if (!last.keys.any()) return;
  auto request = order_passes(context).next(last.keys, all.keys, all.partial, found);
  if (request) next.keys = std::move(*request);
}

bool wants_order(const job::ReduceJob& job) {
  return statistics::OrderPasses::requested(job) && !job.weights;
}

// --- weighted quantiles

statistics::WeightedPasses weighted_passes(const PassContext& context) {
  return {context.job, order_bytes(context.job) / (4 * sizeof(statistics::WeightedKey))};
}

std::int64_t pairs_of(const PassContext& context) {
  return plan::element_count(context.source.info().shape) / 2;
}

void begin_weighted(const PassContext& context, PassRequest& first) {
  const std::int64_t pairs = pairs_of(context);
  const bool samples = pairs > statistics::kSampleRuns * statistics::kSampleRun;
  first.weights = weighted_passes(context).first(
      samples ? read_weighted_sample(context.source) : statistics::WeightedSample(), pairs);
}

void continue_weighted(const PassContext& context, const PassRequest& last, SliceResult& all,
                       statistics::OrderFindings& found, PassRequest& next) {
  if (!last.weights.any()) return;
  auto request = weighted_passes(context).next(last.weights, all.weights, all.partial, found);
  if (request) next.weights = std::move(*request);
}

constexpr std::array kPlanners = std::to_array<PassPlanner>({
    {wants_histogram, begin_histogram, continue_histogram},
    {wants_order, begin_order, continue_order},
    {statistics::WeightedPasses::requested, begin_weighted, continue_weighted},
});

}  // namespace

std::uint64_t order_bytes(const job::ReduceJob& job) {
  constexpr std::uint64_t kMax = std::uint64_t{256} << 20;
  return statistics::OrderPasses::requested(job) ? std::min(job.memory_bytes / 4, kMax) : 0;
}

std::uint64_t order_lane_bytes(const job::ReduceJob& job, const store::ArraySource& source) {
  if (!statistics::OrderPasses::requested(job)) return 0;
  constexpr std::uint64_t kTables = std::uint64_t{2} << 20;
  const std::uint64_t elements = job.slice_bytes / base::element_bytes(source.info().type);
  return kTables + 2 * std::min(order_bytes(job) / 4, elements * sizeof(statistics::ElementKey));
}

PassRequest first_request(const PassContext& context) {
  PassRequest first{.partial = true};
  for (const PassPlanner& planner : kPlanners) {
    if (planner.requested(context.job)) planner.begin(context, first);
  }
  return first;
}

void print_plan(const PassContext& context, const PassRequest& first) {
  if (context.job.quiet) return;
  if (first.keys.any()) base::log("reduce: {}", order_passes(context).plan_text(first.keys));
  if (!first.weights.any()) return;
  const double bytes = static_cast<double>(pairs_of(context)) *
                       static_cast<double>(context.source.read_bytes_each());
  base::log("reduce: {}", weighted_passes(context).plan_text(first.weights, bytes));
}

PassRequest next_request(const PassContext& context, const PassRequest& last, SliceResult& all,
                         statistics::OrderFindings& found) {
  PassRequest next;
  for (const PassPlanner& planner : kPlanners) {
    if (planner.requested(context.job)) planner.resume(context, last, all, found, next);
  }
  return next;
}

}  // namespace tessera::reduce
