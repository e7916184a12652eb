#include "job/verify_job.hpp"

#include "base/text.hpp"
#include "job/run_options.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

std::vector<Option<VerifyJob>> make_verify_options() {
  return {
      {"sample", "N", "tiles of which 16 rows are computed again", Scope::run, Kind::number,
       [](VerifyJob& job, Text text, Text what) {
         job.sample = base::parse_integer(text, what, 0, std::int64_t{1} << 40);
       },
       [](const VerifyJob& job) { return std::to_string(job.sample); }},
      {"device", "LIST", "device for the sample; reference, or cpu if reference made the file",
       Scope::run, Kind::list, [](VerifyJob& job, Text text, Text) { job.sample_device = text; },
       [](const VerifyJob& job) { return job.sample_device; }},
      {"seed", "N", "another seed samples other tiles and rows", Scope::run, Kind::number,
       [](VerifyJob& job, Text text, Text what) {
         job.seed =
             static_cast<std::uint64_t>(base::parse_integer(text, what, 0, std::int64_t{1} << 62));
       },
       [](const VerifyJob& job) { return std::to_string(job.seed); }},
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
