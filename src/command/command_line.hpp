// The commands of the program, one file each; main() knows no more than this.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "base/error.hpp"
#include "comm/world.hpp"

namespace tessera::command {

/// What a command line asked for. Called on every rank; only the gather rank prints.
using Action = std::function<base::ExitCode(comm::World&)>;

/// Adds a command's arguments to `app`; when the command is chosen, parsing sets `action`.
using AddCommand = void (*)(CLI::App& app, Action& action);

struct Command {
  std::string_view name;
  std::string_view summary;
  AddCommand add;
  bool shares_work = false;  ///< among ranks, which may be lost
};

void add_render(CLI::App& app, Action& action);
void add_reduce(CLI::App& app, Action& action);
void add_color(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_views(CLI::App& app, Action& action);

/// What was printed is out; otherwise, on a full disk for example, throws base::Error (failed).
void flush_output();

/// The whole program; returns its exit code. Prints one line on stderr for each error.
int run_command_line(int argc, const char* const* argv);

}  // namespace tessera::command
