#include "reduce/reduce.hpp"

#include "base/run.hpp"
#include "reduce/axes/reduce_axes.hpp"
#include "reduce/groups/reduce_groups.hpp"
#include "reduce/reduce_values.hpp"
#include "reduce/session.hpp"

namespace tessera::reduce {

report::ReduceReport reduce(run::Context& context, const job::ReduceJob& given,
                            std::optional<ReduceCheckpoints>& checkpoints,
                            const Receivers& receivers) {
  const base::RunScope scope(context.run);
  if (given.inputs.empty()) return answer_from_states(context.world, given);
  job::ReduceJob job = given;
  Session session(context.world, job, facts_of(job), checkpoints, receivers.live, receivers.shared);
  if (!job.axes.empty()) return reduce_axes(session, job, receivers.arrays);
  if (!job.by.empty()) return reduce_groups(session, job, receivers.table);
  return reduce_values(session, job, receivers.state);
}

report::ReduceReport map(run::Context& context, const job::MapJob& given,
                         std::optional<ReduceCheckpoints>& checkpoints, ArraySink* sink) {
  const base::RunScope scope(context.run);
  job::MapJob job = given;
  Session session(context.world, job, facts_of(job), checkpoints, nullptr, {});
  return map_arrays(session, job, sink);
}

}  // namespace tessera::reduce
