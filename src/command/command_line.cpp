#include "command/command_line.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "command/status_file.hpp"

namespace tessera::command {
namespace {

constexpr std::array kCommands = {
    Command{"render", "render an image to HDF5, and to PNG if asked for", add_render, true},
    Command{"reduce", "sums, extremes and norms of an array of any size, exactly", add_reduce,
            true},
    Command{"color", "colour a rendered file again, or a part of it", add_color, true},
    Command{"merge", "one image of files that jobs of their own made of its shares", add_merge},
    Command{"info", "what a file holds, how it was made, how complete it is", add_info},
    Command{"verify", "check a file's tiles, recompute a sample on another device", add_verify,
            true},
    Command{"devices", "what each rank would drive, and why anything is left out", add_devices},
    Command{"bench", "compare this machine's devices: from which size on a GPU pays", add_bench},
    Command{"plan", "tiles, memory, disk and time of a render, without rendering", add_plan, true},
    Command{"views", "named places to look at", add_views},
    Command{"palettes", "the colours that --palette takes", add_palettes},
};

/// The option of every command that distributes work over ranks.
void add_heartbeat(Syntax& syntax, comm::World& world) {
  syntax.add_option({"heartbeat", "SECONDS",
                     "silence after which the others go on without a rank; 0 = never [10]", "Run",
                     [&world](const std::string& text) {
                       const double seconds = base::parse_real(text, "--heartbeat");
                       if (!(seconds == 0 || (seconds >= 0.1 && seconds <= 86400))) {
                         throw base::usage_error(
                             "--heartbeat: '{}' is neither 0 nor from 0.1 to 86400 seconds", text);
                       }
                       world.set_heartbeat_timeout(seconds);
                     }});
}

/// The option of every command, since every command has an exit code. It takes effect at once, so
/// that the file also reports an error later on the command line.
void add_status_file(Syntax& syntax, const comm::World& world, StatusFile& status) {
  syntax.add_option(
      {"status-file", "FILE",
       "the exit code and the reason go there too, in the end: where ranks were lost, "
       "launchers have exit codes of their own",
       "Run", [&world, &status](const std::string& text) {
         if (world.is_root()) status.place_at(text);
       }});
}

/// Returns the action of the command line, or nothing if it asked for help, which is then printed.
Action parse(comm::World& world, StatusFile& status, int argc, const char* const* argv) {
  Action action;
  ProgramSyntax program{
      "Tessera renders images and reduces arrays too big for one device or one machine.",
      "tessera " + base::version_and_commit(),
      "Exit codes: 0 done, 2 wrong usage or bad input, 3 something asked for is not there,\n"
      "4 run failed, 75 stopped early: the same command goes on. Every command works with and "
      "without mpirun.",
      {}};
  for (const Command& command : kCommands) {
    program.commands.push_back(
        {std::string(command.name), std::string(command.summary), [&](Syntax& syntax) {
           command.add(syntax, action);
           if (command.shares_work) add_heartbeat(syntax, world);
           add_status_file(syntax, world, status);
         }});
  }
  parse_command_line(program, argc, argv, world.is_root());
  return action;
}

/// Reports an error that only this rank has found, and ends the other ranks, which would wait for
/// it.
int leave_alone(comm::World& world, StatusFile& status, const std::exception& error,
                base::ExitCode code) {
  const std::string text = base::printable(error.what());
  status.write(static_cast<int>(code), text);
  if (world.size() == 1) {
    fmt::print(stderr, "tessera: {}\n", text);
    return static_cast<int>(code);
  }
  fmt::print(stderr, "tessera: rank {} on {}: {}\n", world.rank(), world.host(), text);
  world.abort_all(static_cast<int>(code));
}

}  // namespace

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  // The cause of an earlier failed write is not known any more.
  const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  throw base::run_error("standard output: cannot write{}", why);
}

int run_command_line(int argc, const char* const* argv) {
  comm::World world;
  StatusFile status;
  // Written before the ranks finalize MPI, where some launchers kill them.
  const auto end = [&](base::ExitCode code, std::string_view reason) {
    status.write(static_cast<int>(code), reason);
    return world.finalize(static_cast<int>(code));
  };
  try {
    Action action;
    comm::agree(world, [&] {
      base::check_faults();
      action = parse(world, status, argc, argv);
    });
    const base::ExitCode code = action ? action(world) : base::ExitCode::done;
    if (world.is_root()) flush_output();
    return end(code, code == base::ExitCode::done ? "done" : "see what was printed");
  } catch (const comm::AgreedError& error) {
    const std::string text = base::printable(error.what());
    if (world.is_root()) fmt::print(stderr, "tessera: {}\n", text);
    return end(error.code(), text);
  } catch (const base::Error& error) {
    return leave_alone(world, status, error, error.code());
  } catch (const std::exception& error) {
    return leave_alone(world, status, error, base::ExitCode::failed);
  }
}

}  // namespace tessera::command
