#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "run/command.hpp"

int main(int argc, char** argv) {
  try {
    return tessera::run::run_command_line(argc, argv);
  } catch (const tessera::base::Error& error) {
    fmt::print(stderr, "tessera: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tessera: {}\n", error.what());
    return static_cast<int>(tessera::base::ExitCode::failed);
  }
}
