#include "job/verify_job.hpp"

#include "base/text.hpp"
#include "job/run_options.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using Job = VerifyJob;

std::vector<Option<Job>> make_options() {
  return {
      {"sample", "N", "tiles of which 16 rows are computed again", Scope::run, Kind::number,
       [](Job& job, Text text, Text what) {
         job.sample = base::parse_integer(text, what, 0, std::int64_t{1} << 40);
       },
       [](const Job& job) { return std::to_string(job.sample); }},
      {"device", "LIST", "device for the sample; reference, or cpu if reference made the file",
       Scope::run, Kind::list, [](Job& job, Text text, Text) { job.sample_device = text; },
       [](const Job& job) { return job.sample_device; }},
      {"seed", "N", "another seed samples other tiles and rows", Scope::run, Kind::number,
       [](Job& job, Text text, Text what) {
         job.seed =
             static_cast<std::uint64_t>(base::parse_integer(text, what, 0, std::int64_t{1} << 62));
       },
       [](const Job& job) { return std::to_string(job.seed); }},
      run_option<Job>(RunOption::threads),
      run_option<Job>(RunOption::isolate),
      run_option<Job>(RunOption::device_timeout),
      run_option<Job>(RunOption::memory),
      run_option<Job>(RunOption::quiet),
  };
}

}  // namespace

std::span<const Option<VerifyJob>> verify_options() {
  static const std::vector<Option<Job>> options = make_options();
  return options;
}

}  // namespace tessera::job
