#include "reduce/job_facts.hpp"

#include <algorithm>

#include "job/arrays/reduce_identity.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {

JobFacts facts_of(const job::ReduceJob& job) {
  const bool of_pairs = job::pairing_of(job) != job::Pairing::none;
  JobFacts facts{.command = "reduce",
                 .identity = [&job] { return job::identity(job); },
                 .describe = [&job] { return job::describe(job); },
                 .inputs = job.inputs,
                 .bins = job::bins_of_keys(job),
                 .states = job.states,
                 .in_slices = job.axes.empty(),
                 // A GPU gets what it needs of order statistics, groups and sums of powers through
                 // the cores.
                 .on_cores = statistics::OrderPasses::requested(job) || !job.by.empty() ||
                             of_pairs || statistics::need_powers(job.operations),
                 .numbers_each = of_pairs ? 2 : 1};
  if (job.with) facts.inputs.push_back(*job.with);
  if (job.weights) facts.inputs.push_back(*job.weights);
  facts.inputs.insert(facts.inputs.end(), job.by.begin(), job.by.end());
  if (!job.output.empty()) facts.outputs = {job.output};
  return facts;
}

JobFacts facts_of(const job::MapJob& job) {
  return {.command = "map",
          .identity = [&job] { return job::identity(job); },
          .describe = [&job] { return job::describe(job::as_reduction(job)); },
          .inputs = job.inputs,
          .outputs = job::output_files(job),
          .on_cores = true};  // they write as fast as any device
}

bool reads_memory(const JobFacts& facts) {
  return std::ranges::any_of(facts.inputs, &job::ArrayInput::is_in_memory);
}

}  // namespace tessera::reduce
