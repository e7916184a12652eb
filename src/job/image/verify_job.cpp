#include "job/image/verify_job.hpp"

#include "job/run_options.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

std::vector<Option<VerifyJob>> make_verify_options() {
  return {
      whole_number({"sample", "N", "number of tiles to check by recomputing 16 rows of each"},
                   &VerifyJob::sample, 0, std::int64_t{1} << 40),
      {"device", "LIST",
       "device that recomputes; by default reference, or cpu if reference made the file",
       Scope::run, Kind::list, [](VerifyJob& job, Text text, Text) { job.sample_device = text; },
       [](const VerifyJob& job) { return job.sample_device; }},
      whole_number({"seed", "N", "seed of the random choice of tiles and rows"}, &VerifyJob::seed,
                   0, std::int64_t{1} << 62),
      toggle({"repair", "", "render damaged and missing tiles again", Scope::output},
             &VerifyJob::repair),
      run_option<VerifyJob>(RunOption::threads),
      run_option<VerifyJob>(RunOption::isolate),
      run_option<VerifyJob>(RunOption::device_timeout),
      run_option<VerifyJob>(RunOption::memory),
      run_option<VerifyJob>(RunOption::quiet),
      run_option<VerifyJob>(RunOption::json),
  };
}

}  // namespace

std::span<const Option<VerifyJob>> verify_options() {
  static const std::vector<Option<VerifyJob>> options = make_verify_options();
  return options;
}

}  // namespace tessera::job
