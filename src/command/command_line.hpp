// The commands of the program, one file each. main() includes only this header.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "command/syntax.hpp"
#include "run/context.hpp"

namespace tessera::command {

/// The work of the chosen command. Called on every rank; only the gather rank prints.
using Action = std::function<base::ExitCode(run::Context&)>;

/// Makes parsing set `action` to `work` when the command is chosen.
inline void set_action(Syntax& syntax, Action& action, Action work) {
  syntax.when_chosen([&action, work = std::move(work)] { action = work; });
}

/// Adds a command's arguments; when the command is chosen, parsing sets `action`.
using AddCommand = void (*)(Syntax& syntax, Action& action);

struct Command {
  std::string_view name;
  std::string_view summary;
  AddCommand add;
  bool shares_work = false;  ///< distributes work over ranks, so it has an option for lost ranks
};

void add_render(Syntax& syntax, Action& action);
void add_reduce(Syntax& syntax, Action& action);
void add_map(Syntax& syntax, Action& action);
void add_color(Syntax& syntax, Action& action);
void add_film(Syntax& syntax, Action& action);
void add_explore(Syntax& syntax, Action& action);
void add_serve(Syntax& syntax, Action& action);
void add_publish(Syntax& syntax, Action& action);
void add_merge(Syntax& syntax, Action& action);
void add_info(Syntax& syntax, Action& action);
void add_verify(Syntax& syntax, Action& action);
void add_devices(Syntax& syntax, Action& action);
void add_bench(Syntax& syntax, Action& action);
void add_plan(Syntax& syntax, Action& action);
void add_find(Syntax& syntax, Action& action);
void add_place(Syntax& syntax, Action& action);
void add_palettes(Syntax& syntax, Action& action);
void add_clean(Syntax& syntax, Action& action);
void add_views(Syntax& syntax, Action& action);

/// Path from which a child of the same executable is started.
inline constexpr const char* kThisProgram = "/proc/self/exe";

/// Flushes stdout. Throws base::Error (failed) if it cannot be written, for example on a full disk.
void flush_output();

/// The whole program; returns its exit code. Prints one line on stderr for each error.
int run_command_line(int argc, const char* const* argv);

}  // namespace tessera::command
