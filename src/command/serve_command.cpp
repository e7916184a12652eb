// tessera serve: shows images and arrays in a browser; images also while they are being rendered.
#include "command/serve_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/run.hpp"
#include "binding/render_lanes.hpp"
#include "browse/browser.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/page/page_memory.hpp"
#include "command/stop_signals.hpp"
#include "device/host/cpu_threads.hpp"
#include "job/memory.hpp"
#include "job/serve_job.hpp"
#include "view/http/access.hpp"
#include "view/http/http_server.hpp"
#include "view/viewer.hpp"

namespace tessera::command {
namespace {

constexpr std::chrono::milliseconds kStopPoll{50};

struct ServeArguments {
  job::ServeJob job;
  std::vector<job::Given> given;
};

/// What --memory leaves for the data; images and arrays have a half each where there are both.
std::uint64_t memory_of(const job::ServeJob& job, const browse::SortedInputs& inputs) {
  const std::uint64_t rest = job.memory_bytes - std::min(job.memory_bytes, job::kProgramBytes);
  return inputs.images.empty() || inputs.arrays.empty() ? rest : rest / 2;
}

/// The parts of its memory: a half for decoded tiles, a quarter for pictures of regions or for
/// pyramids, the rest for requests.
view::ViewerSpec viewer_spec(const job::ServeJob& job, const browse::SortedInputs& inputs,
                             int threads, const PageMemory& memory) {
  const std::uint64_t rest = memory_of(job, inputs);
  return {.paths = inputs.images,
          .threads = threads,
          .cache_bytes = static_cast<std::size_t>(rest / 2),
          .cache = job.cache,
          .memory_bytes = rest / 4,
          .palettes = view::palette_files(job.palette_files),
          .token = token_of(job, memory)};
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

void print_tunnel(const job::ServeJob& job, const std::string& host, const std::string& path) {
  const std::string login = variable("SLURM_SUBMIT_HOST");
  if (login.empty()) return;
  const bool local = view::is_loopback(job.address);
  fmt::print(stderr, "On your own machine: ssh -N -L {0}:{1}:{0} {2}\n", job.port,
             local ? "127.0.0.1" : host, local ? fmt::format("-J {} {}", login, host) : login);
  fmt::print(stderr, "Then open http://127.0.0.1:{}{}\n", job.port, path);
}

std::string address_of(job::ServeJob job, const std::string& host, const std::string& path) {
  const bool any = job.address == "0.0.0.0" || job.address == "::";
  if (any) job.address = host;
  return fmt::format("http://{}{}", job.listen(), path);
}

void print_page_address(const job::ServeJob& job, const std::string& host,
                        const std::string& token) {
  const std::string path = token.empty() ? "/" : "/?token=" + token;
  print_tunnel(job, host, path);
  fmt::print("{}\n", address_of(job, host, path));
  flush_output();
}

namespace {

void serve(run::Context& context, job::ServeJob job, int threads) {
  PageMemory memory("serve");
  const browse::SortedInputs inputs =
      browse::sort_inputs(job.inputs.empty() ? std::vector<std::string>{"."} : job.inputs);
  browse::Browser browser({inputs.arrays, threads, memory_of(job, inputs)});
  view::ViewerSpec spec = viewer_spec(job, inputs, threads, memory);
  if (!browser.empty()) {
    spec.facts["arrays"] = true;
    spec.routes = browser.routes();
  }
  view::Viewer viewer(spec);
  view::HttpServer server([&](const view::HttpRequest& request) { return viewer.answer(request); },
                          kMaxConnections);
  job.port = memory.listen(server, job, "--listen");
  listen_for_stop(context.run.stop);
  print_page_address(job, context.world.host(), spec.token);
  while (!context.run.stop.requested()) std::this_thread::sleep_for(kStopPoll);
  server.stop();
}

base::ExitCode run(run::Context& context, const ServeArguments& arguments) {
  comm::World& world = context.world;
  job::ServeJob job = arguments.job;
  comm::agree(world, [&] {
    job::apply_options<job::ServeJob>(job, job::serve_options(), arguments.given);
  });
  const int threads = device::cpu_threads(binding::place_of(world, job), device::count_cores());
  comm::agree(world, [&] {
    if (world.size() > 1)
      throw base::usage_error("tessera serve: runs as one process, not {}", world.size());
  });
  serve(context, job, threads);
  return base::ExitCode::done;
}

}  // namespace

void add_serve(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<ServeArguments>();
  syntax.add_optional_arguments(
      "FILE", arguments->job.inputs,
      "rendered files, finished or not, arrays as `reduce` takes them, and folders of them [.]");
  syntax.add_options(job::serve_options(), arguments->given);
  set_action(syntax, action,
             [arguments](run::Context& context) { return run(context, *arguments); });
}

}  // namespace tessera::command
