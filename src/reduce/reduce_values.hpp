// Reductions of whole arrays: each operation gives one number, or a list of them.
#pragma once

#include "reduce/session.hpp"
#include "report/reduce_report.hpp"
#include "statistics/partial.hpp"

namespace tessera::reduce {

/// What the answers are made of; order statistics and histograms are not in it.
struct PartialState {
  statistics::ReductionSpec spec;
  statistics::Partial sums;
};

/// As reduce() of reduce/reduce.hpp. `partial`, which may be null, is set on the gather rank.
report::ReduceReport reduce_values(Session& session, const job::ReduceJob& job,
                                   PartialState* partial);

/// Collective. The same of a job without an INPUT, from the files of --state.
report::ReduceReport answer_from_states(comm::World& world, const job::ReduceJob& job);

}  // namespace tessera::reduce
