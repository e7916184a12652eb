// tessera verify: parses its options and calls post::verify().
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/verify_job.hpp"
#include "post/verify.hpp"

namespace tessera::command {

void add_verify(Syntax& syntax, Action& action) {
  struct Arguments {
    job::VerifyJob job;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_options(job::verify_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) {
      job::VerifyJob job = arguments->job;
      comm::agree(world, [&] {
        job::apply_options<job::VerifyJob>(job, job::verify_options(), arguments->given);
      });
      post::verify(world, job);
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
