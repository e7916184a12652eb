// The passes of a reduction over its array. Most operations need one pass. The others are rows of a
// table (passes.cpp): each derives its part of the next pass from what the earlier ones have found.
#pragma once

#include <cstdint>

#include "job/arrays/reduce_job.hpp"
#include "reduce/slice_sink.hpp"
#include "statistics/order/order_passes.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The facts that the rows of the table depend on.
struct PassContext {
  const job::ReduceJob& job;
  const store::ArraySource& source;
};

/// Bytes of a rank's --memory that order statistics use: keys in the sink, their copy in a
/// checkpoint, and its encoded form.
std::uint64_t order_bytes(const job::ReduceJob& job);
/// Bytes that a lane uses besides, for a slice whose elements are all collected, and its message.
std::uint64_t order_lane_bytes(const job::ReduceJob& job, const store::ArraySource& source);

/// Gather rank. What the first pass adds up. Reads a sample of the array if an operation needs one.
PassRequest first_request(const PassContext& context);
/// Logs how often order statistics read the array, unless the job is quiet.
void print_plan(const PassContext& context, const PassRequest& first);
/// Gather rank, after a pass that is complete. `found` keeps what the pass has found. Returns a
/// request that is done() if no operation needs another pass.
PassRequest next_request(const PassContext& context, const PassRequest& last, SliceResult& all,
                         statistics::OrderFindings& found);

}  // namespace tessera::reduce
