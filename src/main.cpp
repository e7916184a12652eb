#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/printable.hpp"
#include "device/process/serve.hpp"
#include "run/command.hpp"

int main(int argc, char** argv) {
  try {
    // Before MPI, of which such a process is no part.
    if (tessera::device::process::is_serve_call(argc, argv)) tessera::device::process::serve(argv);
    return tessera::run::run_command_line(argc, argv);
  } catch (const tessera::base::Error& error) {
    fmt::print(stderr, "tessera: {}\n", tessera::base::printable(error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tessera: {}\n", tessera::base::printable(error.what()));
    return static_cast<int>(tessera::base::ExitCode::failed);
  }
}
