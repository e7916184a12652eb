// tessera verify: the options.
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/arguments.hpp"
#include "command/command_line.hpp"
#include "job/isolation_options.hpp"
#include "job/values.hpp"
#include "post/verify.hpp"

namespace tessera::command {
namespace {

std::span<const job::Option<post::VerifyJob>> verify_options() {
  using job::Kind;
  using job::Scope;
  static const std::vector<job::Option<post::VerifyJob>> options = {
      {"sample", "N", "tiles of which 16 rows are computed again", Scope::run, Kind::number,
       [](post::VerifyJob& job, std::string_view text, std::string_view what) {
         job.sample = base::parse_integer(text, what, 0, std::int64_t{1} << 40);
       },
       [](const post::VerifyJob& job) { return std::to_string(job.sample); }},
      {"device", "LIST", "device for the sample; reference, or cpu if reference made the file",
       Scope::run, Kind::list,
       [](post::VerifyJob& job, std::string_view text, std::string_view) { job.device = text; },
       [](const post::VerifyJob& job) { return job.device; }},
      {"seed", "N", "another seed samples other tiles and rows", Scope::run, Kind::number,
       [](post::VerifyJob& job, std::string_view text, std::string_view what) {
         job.seed =
             static_cast<std::uint64_t>(base::parse_integer(text, what, 0, std::int64_t{1} << 62));
       },
       [](const post::VerifyJob& job) { return std::to_string(job.seed); }},
      {"threads", "N", "worker threads of each rank; 0 = all it may use", Scope::run, Kind::number,
       [](post::VerifyJob& job, std::string_view text, std::string_view what) {
         job.threads = static_cast<int>(base::parse_integer(text, what, 0, 1024));
       },
       [](const post::VerifyJob& job) { return std::to_string(job.threads); }},
      job::isolate_option<post::VerifyJob>(),
      job::device_timeout_option<post::VerifyJob>(),
      {"memory", "SIZE", "bound of each rank's memory", Scope::run, Kind::number,
       [](post::VerifyJob& job, std::string_view text, std::string_view what) {
         job.memory_bytes = job::parse_memory(text, what);
       },
       [](const post::VerifyJob& job) { return job::format_memory(job.memory_bytes); }},
      {"quiet", "", "no progress and no summary", Scope::run, Kind::toggle,
       [](post::VerifyJob& job, std::string_view, std::string_view) { job.quiet = true; },
       [](const post::VerifyJob&) { return std::string(); }},
  };
  return options;
}

}  // namespace

void add_verify(Syntax& syntax, Action& action) {
  struct Arguments {
    post::VerifyJob job;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_options(verify_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) {
      post::VerifyJob job = arguments->job;
      comm::agree(world, [&] {
        apply_options(job, verify_options(), std::span<const job::Given>(arguments->given));
      });
      post::verify(world, job);
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
