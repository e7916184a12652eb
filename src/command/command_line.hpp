// The commands of the program, one file each; main() knows no more than this.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.hpp"
#include "comm/world.hpp"
#include "command/syntax.hpp"

namespace tessera::command {

/// What a command line asked for. Called on every rank; only the gather rank prints.
using Action = std::function<base::ExitCode(comm::World&)>;

/// Adds a command's arguments; when the command is chosen, parsing sets `action`.
using AddCommand = void (*)(Syntax& syntax, Action& action);

struct Command {
  std::string_view name;
  std::string_view summary;
  AddCommand add;
  bool shares_work = false;  ///< among ranks, which may be lost
};

void add_render(Syntax& syntax, Action& action);
void add_reduce(Syntax& syntax, Action& action);
void add_color(Syntax& syntax, Action& action);
void add_merge(Syntax& syntax, Action& action);
void add_info(Syntax& syntax, Action& action);
void add_verify(Syntax& syntax, Action& action);
void add_devices(Syntax& syntax, Action& action);
void add_bench(Syntax& syntax, Action& action);
void add_plan(Syntax& syntax, Action& action);
void add_views(Syntax& syntax, Action& action);

/// What was printed is out; otherwise, on a full disk for example, throws base::Error (failed).
void flush_output();

/// The whole program; returns its exit code. Prints one line on stderr for each error.
int run_command_line(int argc, const char* const* argv);

}  // namespace tessera::command
