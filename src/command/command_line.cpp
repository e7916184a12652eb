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
};

/// Names of the options that `app` takes, for a suggestion.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// One line for a command line that CLI11 refuses.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto extra = app.remaining();
    if (extra.empty()) return "name a command; tessera --help lists them";
    std::vector<std::string> names;
    names.reserve(kCommands.size());
    for (const Command& command : kCommands) names.emplace_back(command.name);
    const std::string near = base::nearest(extra.front(), names);
    return fmt::format(
        "{}: no such command{}", extra.front(),
        near.empty() ? "; tessera --help lists them" : fmt::format("; did you mean {}?", near));
  }
  const CLI::App& command = *chosen.front();
  const auto extra = command.remaining();
  if (extra.empty()) return fmt::format("{}: {}", command.get_name(), error.what());
  const std::string given = extra.front().substr(0, extra.front().find('='));
  const std::string near = base::nearest(given, option_names(command));
  return fmt::format("{}: {} takes no such argument{}", given, command.get_name(),
                     near.empty() ? fmt::format("; see tessera {} --help", command.get_name())
                                  : fmt::format("; did you mean {}?", near));
}

/// CLI11's order (last argument first), with "--png=" as what it means: an empty value.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string text = argv[i];
    if (text.size() > 3 && text.starts_with("--") && text.find('=') == text.size() - 1) {
      text.pop_back();
      arguments.emplace_back();
    }
    arguments.push_back(std::move(text));
  }
  return arguments;
}

/// The option of every command that shares work among ranks.
void add_heartbeat(CLI::App& app, comm::World& world) {
  const CLI::callback_t set = [&world](const CLI::results_t& texts) {
    const double seconds = base::parse_real(texts.back(), "--heartbeat");
    if (!(seconds == 0 || (seconds >= 0.1 && seconds <= 86400))) {
      throw base::usage_error("--heartbeat: '{}' is neither 0 nor from 0.1 to 86400 seconds",
                              texts.back());
    }
    world.set_patience(seconds);
    return true;
  };
  app.add_option("--heartbeat", set,
                 "silence after which the others go on without a rank; 0 = never [10]")
      ->trigger_on_parse()
      ->type_name("SECONDS")
      ->group("Run");
}

/// The option of every command, since every one has an exit code. Takes effect at once, so that it
/// is told of what is wrong behind it on the command line, too.
void add_status_file(CLI::App& app, const comm::World& world, StatusFile& status) {
  const CLI::callback_t set = [&world, &status](const CLI::results_t& texts) {
    if (world.is_root()) status.place_at(texts.back());
    return true;
  };
  app.add_option("--status-file", set,
                 "the exit code and the reason go there too, in the end: where ranks were lost, "
                 "launchers have exit codes of their own")
      ->trigger_on_parse()
      ->type_name("FILE")
      ->group("Run");
}

/// What the command line asks for; nothing if it asked for help, which is printed.
Action parse(comm::World& world, StatusFile& status, int argc, const char* const* argv) {
  CLI::App app("Tessera renders images and reduces arrays too big for one device or one machine.",
               "tessera");
  app.set_version_flag("--version", "tessera " + base::version_and_commit());
  app.footer(
      "Exit codes: 0 done, 2 wrong usage or bad input, 3 something asked for is not there,\n"
      "4 run failed, 75 stopped early: the same command goes on. Every command works with and "
      "without mpirun.");
  Action action;
  for (const Command& command : kCommands) {
    CLI::App* const sub =
        app.add_subcommand(std::string(command.name), std::string(command.summary));
    command.add(*sub, action);
    if (command.shares_work) add_heartbeat(*sub, world);
    add_status_file(*sub, world, status);
  }
  app.require_subcommand(1);
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::Success& help) {
    if (world.is_root()) app.exit(help);
    return {};
  } catch (const CLI::ParseError& error) {
    throw base::Error(base::ExitCode::usage, explain(app, error));
  }
  return action;
}

/// Tells of an error that only this rank knows of, and ends the others, which would wait for it.
int leave_alone(comm::World& world, StatusFile& status, const std::exception& error,
                base::ExitCode code) {
  const std::string text = base::printable(error.what());
  status.write(static_cast<int>(code), text);
  if (world.size() == 1) {
    fmt::print(stderr, "tessera: {}\n", text);
    return static_cast<int>(code);
  }
  fmt::print(stderr, "tessera: rank {} on {}: {}\n", world.rank(), world.host(), text);
  world.abort(static_cast<int>(code));
}

}  // namespace

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  // Of an earlier write nobody knows any more why it failed.
  const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  throw base::run_error("standard output: cannot write{}", why);
}

int run_command_line(int argc, const char* const* argv) {
  comm::World world;
  StatusFile status;
  // Before the ranks part, which is where some launchers end them all.
  const auto end = [&](base::ExitCode code, std::string_view reason) {
    status.write(static_cast<int>(code), reason);
    return world.end(static_cast<int>(code));
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
