#include "command/command_line.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "base/file/file_view.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/launcher.hpp"
#include "command/help/manuals.hpp"
#include "command/site_defaults.hpp"
#include "command/status_file.hpp"
#include "command/stderr_events.hpp"
#include "command/stop_signals.hpp"
#include "device/host/topology.hpp"
#include "store/hdf5/environment.hpp"

namespace tessera::command {
namespace {

constexpr std::array kCommands = {
    Command{"render", "render an image to HDF5 and, on request, to PNG", add_render, true},
    Command{"reduce",
            "compute exact statistics of an array: sums, quantiles, extremes, groups, ...",
            add_reduce, true},
    Command{"map", "write an expression of arrays, such as 'a + b', to a file", add_map, true},
    Command{"color", "make a PNG of a rendered file, or of a part of it", add_color, true},
    Command{"film", "make a film of the images of render --frames", add_film, true},
    Command{"explore", "explore any place in a browser, rendered on demand", add_explore},
    Command{"serve", "show images and arrays in a browser, images even while they are rendered",
            add_serve},
    Command{"publish", "make a page of an image that any web server can show", add_publish},
    Command{"merge", "combine the partial files of render --share into one image", add_merge},
    Command{"info", "show what a file contains, how it was made and how complete it is", add_info},
    Command{"verify", "check all tiles of a file and recompute a sample on another device",
            add_verify, true},
    Command{"devices", "list the devices of each rank and the reasons for leaving any out",
            add_devices},
    Command{"bench", "find the problem size above which a GPU beats the CPU cores", add_bench},
    Command{"plan", "estimate the memory, disk space and time of a render", add_plan, true},
    Command{"views", "list the named views", add_views},
    Command{"place", "show the options that render a place of another program", add_place},
    Command{"find", "find the nearest minibrot, with a proof of its centre and period", add_find},
    Command{"palettes", "show the palettes of pictures", add_palettes},
    Command{"clean", "list or remove files that runs left beside their outputs", add_clean},
};

/// Not in --help: writes manual pages, completions and docs/options.md into a folder.
constexpr std::string_view kWriteManuals = "write-manuals";

/// The option of every command that distributes work over ranks.
void add_heartbeat(Syntax& syntax, comm::World& world) {
  const auto set = [&world](const std::string& text, const std::string& what) {
    const double seconds = base::parse_duration(text, what);
    if (!(seconds == 0 || (seconds >= 0.1 && seconds <= 86400))) {
      throw base::usage_error("{}: '{}' is neither 0 nor from 0.1 to 86400 seconds", what, text);
    }
    world.set_heartbeat_timeout(seconds);
  };
  if (const job::Given* const usual = syntax.default_of("heartbeat")) {
    set(usual->value, usual->origin);
  }
  syntax.add_option({"heartbeat", "TIME",
                     "continue without a rank that does not answer for this long; 0 = never [10]",
                     "Run", [set](const std::string& text) { set(text, "--heartbeat"); }});
}

/// The option of every command, since every command has an exit code. It takes effect at once, so
/// that the file also reports an error later on the command line.
void add_status_file(Syntax& syntax, const comm::World& world, StatusFile& status) {
  syntax.add_option(
      {"status-file", "FILE",
       "write the exit code and the reason to FILE, since mpirun may return another code", "Run",
       [&world, &status](const std::string& text) {
         if (world.is_root()) status.place_at(text);
       }});
}

/// Returns the action of the command line, or nothing if it asked for help, which is then printed.
Action parse(comm::World& world, StatusFile& status, std::vector<job::Given> defaults, int argc,
             const char* const* argv) {
  Action action;
  ProgramSyntax program{
      "Tessera renders images and reduces arrays too big for one device or one machine.",
      "tessera " + base::version_and_commit(),
      "Exit codes: 0 done, 2 wrong usage or bad input, 3 a device, file or library is missing, 4 "
      "run failed, 75 stopped early: run the same command to resume.\n\n"
      "Commands that compute work with and without mpirun. tessera help COMMAND lists its options.",
      {},
      std::move(defaults)};
  for (const Command& command : kCommands) {
    program.commands.push_back(
        {std::string(command.name), std::string(command.summary), [&](Syntax& syntax) {
           command.add(syntax, action);
           if (command.shares_work) add_heartbeat(syntax, world);
           add_status_file(syntax, world, status);
         }});
  }
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (argc == 3 && arguments[1] == kWriteManuals) {
    if (world.is_root()) write_manuals(program, arguments[2]);
    return {};
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
  store::set_hdf5_environment();
  device::set_hwloc_environment();
  const bool launched = comm::has_launcher();
  StderrEvents events(launched);
  comm::World world = launched ? comm::World::launch(events) : comm::World::single();
  comm::check_launcher(world.size());
  base::end_process_at_lost_bytes();
  static base::StopToken stop(begin_grace);  // a signal may come at the very end
  run::Context context{world, {stop, events, kThisProgram}};
  const base::RunScope scope(context.run);
  StatusFile status;
  // Written before the ranks finalize MPI, where some launchers kill them.
  const auto end = [&](base::ExitCode code, std::string_view reason) {
    status.write(static_cast<int>(code), reason);
    return world.finalize(static_cast<int>(code));
  };
  try {
    Action action;
    const std::vector<job::Given> defaults = read_defaults(world);
    comm::agree(world, [&] {
      base::check_faults();
      action = parse(world, status, defaults, argc, argv);
    });
    const base::ExitCode code = action ? action(context) : base::ExitCode::done;
    if (world.is_root()) flush_output();
    return end(code, code == base::ExitCode::done ? "done" : "see what was printed");
  } catch (const comm::AgreedError& error) {
    const std::string text = base::printable(error.what());
    if (world.is_root()) fmt::print(stderr, "tessera: {}\n", text);
    return end(error.code(), text);
  } catch (const base::Error& error) {
    return leave_alone(world, status, error, error.code());
  } catch (const std::bad_alloc&) {
    const auto none = base::run_error("not enough memory; fewer --threads or less --memory may do");
    return leave_alone(world, status, none, none.code());
  } catch (const std::exception& error) {
    return leave_alone(world, status, error, base::ExitCode::failed);
  }
}

}  // namespace tessera::command
