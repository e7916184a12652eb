#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/printable.hpp"
#include "base/run.hpp"
#include "command/command_line.hpp"
#include "command/page/run_server.hpp"
#include "command/stderr_events.hpp"
#include "command/stop_signals.hpp"
#include "device/process/device_process.hpp"
#include "device/select/registry.hpp"

int main(int argc, char** argv) {
  tessera::command::fail_large_writes();
  tessera::command::StderrEvents events(false);
  tessera::base::StopToken stop;
  const tessera::base::Run helper{stop, events};
  try {
    // The processes beside a rank must not start MPI.
    const tessera::base::RunScope scope(helper);
    if (tessera::device::process::is_serve_call(argc, argv)) {
      tessera::device::process::serve(argv,
                                      {tessera::device::backends(), &tessera::device::open_gpu});
    }
    if (tessera::command::is_page_call(argc, argv)) return tessera::command::serve_page(argc, argv);
    return tessera::command::run_command_line(argc, argv);
  } catch (const tessera::base::Error& error) {
    fmt::print(stderr, "tessera: {}\n", tessera::base::printable(error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tessera: {}\n", tessera::base::printable(error.what()));
    return static_cast<int>(tessera::base::ExitCode::failed);
  }
}
