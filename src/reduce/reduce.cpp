#include "reduce/reduce.hpp"

#include "base/run.hpp"
#include "reduce/axes/reduce_axes.hpp"
#include "reduce/groups/reduce_groups.hpp"
#include "reduce/reduce_values.hpp"
#include "reduce/session.hpp"

namespace tessera::reduce {

report::ReduceReport reduce(run::Context& context, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints,
                            const Receivers& receivers) {
  const base::RunScope scope(context.run);
  if (job.inputs.empty()) return answer_from_states(context.world, job);
  Session session(context.world, job, checkpoints, receivers.live, receivers.shared);
  if (!job.mapped.empty()) return map_arrays(session, receivers.arrays);
  if (!job.by.empty() && job.axes.empty()) return reduce_groups(session, receivers.table);
  if (!job.axes.empty()) return reduce_axes(session, receivers.arrays);
  return reduce_values(session, receivers.state);
}

}  // namespace tessera::reduce
