#include "command/syntax.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::command {
namespace {

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
    for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
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

/// The arguments in CLI11's order (last one first). "--png=" is passed as an option with an empty
/// value.
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

}  // namespace

void Syntax::add_argument(const std::string& name, std::string& to, const std::string& help) {
  app_.add_option(name, to, help)->required();
}
void Syntax::add_optional_argument(const std::string& name, std::string& to,
                                   const std::string& help) {
  app_.add_option(name, to, help);
}
void Syntax::add_arguments(const std::string& name, std::vector<std::string>& to,
                           const std::string& help) {
  app_.add_option(name, to, help)->required();
}
void Syntax::add_optional_arguments(const std::string& name, std::vector<std::string>& to,
                                    const std::string& help) {
  app_.add_option(name, to, help)->expected(-1);
}

void Syntax::add_option(const OptionRow& row) {
  const CLI::callback_t take = [take = row.take](const CLI::results_t& texts) {
    take(texts.back());
    return true;
  };
  // Triggered at each occurrence; otherwise CLI11 would sort them by the order of the table.
  CLI::Option* const added = app_.add_option("--" + row.name, take, row.help)->trigger_on_parse();
  added->type_name(row.value)->group(std::string(row.group));
  added->expected(row.value.empty() ? 0 : 1);
}

void Syntax::when_chosen(std::function<void()> then) {
  app_.callback(std::move(then));
}

void parse_command_line(const ProgramSyntax& program, int argc, const char* const* argv,
                        bool prints) {
  CLI::App app(program.summary, "tessera");
  app.set_version_flag("--version", program.version);
  app.footer(program.footer);
  for (const CommandSyntax& command : program.commands) {
    Syntax syntax(*app.add_subcommand(command.name, command.summary));
    command.add(syntax);
  }
  app.require_subcommand(1);
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::Success& help) {
    if (prints) app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw base::Error(base::ExitCode::usage, explain(app, error));
  }
}

}  // namespace tessera::command
