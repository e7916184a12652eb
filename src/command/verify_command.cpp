// tessera verify: the options.
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/command_line.hpp"
#include "job/verify_job.hpp"
#include "post/verify.hpp"

namespace tessera::command {

void add_verify(CLI::App& app, Action& action) {
  struct Arguments {
    job::VerifyJob job;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE.h5", arguments->job.input, "a rendered file")->required();
  job::add_options(app, job::verify_options(), arguments->given);
  app.callback([arguments, &action] {
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
