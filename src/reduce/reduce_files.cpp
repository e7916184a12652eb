#include "reduce/reduce_files.hpp"

#include "reduce/done_note.hpp"
#include "store/arrays/array_source.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {

std::vector<job::ArrayInput> inputs_of(const job::ReduceJob& job) {
  std::vector<job::ArrayInput> inputs = job.inputs;
  if (!job.with.empty()) inputs.push_back(job::parse_array_input(job.with));
  return inputs;
}

void check_reduce_files(const job::ReduceJob& job) {
  if (!job.checkpoint_file.empty())
    store::check_output(job.checkpoint_file, "--checkpoint-file", true);
  std::vector<store::NamedFile> written = {{"--output", job.output},
                                           {"--report", job.report},
                                           {"--trace", job.trace},
                                           {"--checkpoint-file", job.checkpoint_file}};
  if (!job.output.empty()) written.push_back({"--output", finished_path(job.output)});
  store::check_distinct(written);
  for (const job::ArrayInput& input : inputs_of(job)) {
    if (input.is_generated()) continue;
    for (const job::ArrayInput& read : store::expand(input)) {
      for (const store::NamedFile& file : written)
        store::check_distinct({{"INPUT", read.path}, file});
    }
  }
  store::check_text_outputs(
      {{"--report", job.report, store::kReport}, {"--trace", job.trace, store::kTrace}},
      job.overwrite);
}

}  // namespace tessera::reduce
