#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/printable.hpp"
#include "base/stop_request.hpp"
#include "command/command_line.hpp"
#include "command/page/run_server.hpp"
#include "device/process/device_process.hpp"
#include "device/select/registry.hpp"

int main(int argc, char** argv) {
  tessera::base::fail_large_writes();
  try {
    // The processes beside a rank must not start MPI.
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
