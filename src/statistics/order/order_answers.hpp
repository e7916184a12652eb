// Computes the answers of order statistics from what the passes have found.
#pragma once

#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/answers.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::statistics {

/// One value; of quantile one for each Q; of topk and argtopk as many as there are, up to K. None
/// for an operation that is no order statistic.
std::vector<Value> order_answer(job::Operation operation, const job::ReduceJob& job,
                                base::ElementType type, const Partial& all,
                                const OrderFindings& findings);

}  // namespace tessera::statistics
