#include "job/image/merge_job.hpp"

#include "job/run_options.hpp"

namespace tessera::job {

std::span<const Option<MergeJob>> merge_options() {
  static const std::vector<Option<MergeJob>> options = {
      toggle({"overwrite", "", "replace an existing OUT.h5", Scope::output}, &MergeJob::overwrite),
      run_option<MergeJob>(RunOption::quiet),
      run_option<MergeJob>(RunOption::json),
  };
  return options;
}

}  // namespace tessera::job
