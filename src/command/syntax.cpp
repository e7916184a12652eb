#include "command/syntax.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command/help/command_texts.hpp"

namespace tessera::command {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kShortNames = {
    {{"output", "-o,"}, {"quiet", "-q,"}}};

/// "-o,--output"
std::string names_of(const std::string& option) {
  for (const auto& [name, short_name] : kShortNames) {
    if (option == name) return fmt::format("{}--{}", short_name, option);
  }
  return "--" + option;
}

/// Names of the options that `app` takes, for a suggestion.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Options of other programs, and what to take instead.
constexpr std::array kOtherOptions = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"--aa", "--supersample N"},
    {"--antialias", "--supersample N"},
    {"--antialiasing", "--supersample N"},
    {"--axes", "--axis"},
    {"--cmap", "--palette"},
    {"--colormap", "--palette"},
    {"--colors", "--palette"},
    {"--cpu", "--device cpu"},
    {"--force", "--overwrite"},
    {"--gpu", "--device gpu"},
    {"--group-by", "--by"},
    {"--groupby", "--by"},
    {"--host", "--listen ADDR:PORT"},
    {"--iter", "--iterations"},
    {"--jobs", "--threads"},
    {"--magnification", "--zoom"},
    {"--max-iter", "--iterations"},
    {"--max-iterations", "--iterations"},
    {"--maxiter", "--iterations"},
    {"--mem", "--memory"},
    {"--percentile", "--op quantile=Q"},
    {"--port", "--listen PORT"},
    {"--quantile", "--op quantile=Q"},
    {"--resolution", "--size"},
    {"--skip-nan", "--nan skip"},
    {"--skipna", "--nan skip"},
    {"--ssaa", "--supersample N"},
    {"--time", "--max-seconds"},
    {"--time-limit", "--max-seconds"},
    {"--timeout", "--max-seconds"},
});

/// What to take instead of `given`, if it begins with one of `names`; "" if there is nothing.
std::string instead_of(const std::string& given, const std::vector<std::string>& names) {
  const auto* const other = std::ranges::find(
      kOtherOptions, given, [](const auto& row) { return std::string(row.first); });
  if (other == kOtherOptions.end()) return "";
  const std::string option(other->second.substr(0, other->second.find(' ')));
  const bool known = std::ranges::find(names, option) != names.end();
  return known ? std::string(other->second) : "";
}

/// The only option that begins with `given`; "" if there is none, or several.
std::string completion(const std::string& given, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& name : names) {
    if (given.size() < 4 || !name.starts_with(given)) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

std::string hint(const std::string& given, const std::vector<std::string>& names,
                 const std::string& otherwise) {
  const std::string instead = instead_of(given, names);
  if (!instead.empty()) return fmt::format("; take {}", instead);
  std::string near = base::nearest(given, names);
  if (near.empty()) near = completion(given, names);
  return near.empty() ? "; " + otherwise : fmt::format("; did you mean {}?", near);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names{"help"};
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  return names;
}

std::string no_such_command(const CLI::App& app, const std::string& name) {
  return fmt::format("{}: no such command{}", name,
                     hint(name, command_names(app), "tessera --help lists them"));
}

/// One line for a command line that CLI11 refuses.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto extra = app.remaining();
    if (extra.empty()) return "name a command; tessera --help lists them";
    return no_such_command(app, extra.front());
  }
  const CLI::App& command = *chosen.front();
  const auto extra = command.remaining();
  if (extra.empty()) return fmt::format("{}: {}", command.get_name(), error.what());
  const std::string given = extra.front().substr(0, extra.front().find('='));
  return fmt::format(
      "{}: {} takes no such argument{}", given, command.get_name(),
      hint(given, option_names(command), fmt::format("see tessera {} --help", command.get_name())));
}

/// Whether CLI11 would take an expression such as "-a + b" for options.
bool is_expression(std::string_view before, std::string_view text) {
  constexpr std::string_view kShort = "hoq";
  if (text.size() < 2 || text.front() != '-' || text[1] == '-') return false;
  return before == "--map" || (before == "map" && kShort.find(text[1]) == kShort.npos);
}

/// The arguments in CLI11's order (last one first). "--png=" is passed as an option with an empty
/// value, "help COMMAND" as "COMMAND --help", "-a" of map as " -a".
std::vector<std::string> reversed_arguments(const CLI::App& app, int argc,
                                            const char* const* argv) {
  std::vector<std::string> arguments;
  if (argc > 1 && argv[1] == std::string_view("help")) {
    arguments.emplace_back("--help");
    if (argc == 2) return arguments;
    const std::string command = argv[2];
    const std::vector<std::string> names = command_names(app);
    if (std::ranges::find(names, command) == names.end()) {
      throw base::Error(base::ExitCode::usage, no_such_command(app, command));
    }
    if (command != "help") arguments.push_back(command);
    return arguments;
  }
  for (int i = argc - 1; i > 0; --i) {
    std::string text = argv[i];
    if (text.size() > 3 && text.starts_with("--") && text.find('=') == text.size() - 1) {
      text.pop_back();
      arguments.emplace_back();
    }
    if (is_expression(argv[i - 1], text)) text.insert(0, 1, ' ');
    arguments.push_back(std::move(text));
  }
  return arguments;
}

std::string examples_of(const std::string& command) {
  const CommandText* const about = find_command_text(command);
  if (about == nullptr) return "";
  std::string text = "Examples:\n";
  for (const Example& example : about->examples) {
    if (!example.what.empty()) text += fmt::format("  # {}\n", example.what);
    text += fmt::format("  {}\n", example.command);
  }
  return text;
}

std::unique_ptr<CLI::App> make_app(const ProgramSyntax& program) {
  auto app = std::make_unique<CLI::App>(program.summary, "tessera");
  app->set_help_flag("-h,--help", "print this help");
  app->set_version_flag("-V,--version", program.version, "print the version");
  app->footer(program.footer);
  for (const CommandSyntax& command : program.commands) {
    CLI::App* const added = app->add_subcommand(command.name, command.summary);
    added->footer(examples_of(command.name) + "\n" + program.footer);
    Syntax syntax(*added, program.defaults);
    command.add(syntax);
  }
  app->require_subcommand(1);
  return app;
}

OptionHelp describe_option(const CLI::Option& option) {
  OptionHelp help{.value = option.get_expected_max() == 0 ? "" : option.get_type_name(),
                  .help = option.get_description(),
                  .group = option.get_group(),
                  .required = option.get_required(),
                  .repeats = option.get_expected_max() > 1};
  if (!option.get_snames().empty()) help.short_name = option.get_snames().front();
  help.argument = option.get_lnames().empty();
  help.name = help.argument ? option.get_name(true) : option.get_lnames().front();
  return help;
}

std::string named_path(const std::string& text, const std::string& name) {
  if (text.empty()) throw base::usage_error("{}: must not be empty", name);
  return base::user_path(text, name);
}

/// Any argument but an expression, a link, and an INPUT, which has its own parser, is a path.
void take_path(const std::string& name, CLI::Option* argument) {
  argument->type_name("");
  if (name == "EXPRESSION" || name == "INPUT" || job::takes_link(name)) return;
  argument->transform([name](const std::string& text) { return named_path(text, name); });
}

}  // namespace

void Syntax::add_argument(const std::string& name, std::string& to, const std::string& help) {
  take_path(name, app_.add_option(name, to, help)->required());
}
void Syntax::add_optional_argument(const std::string& name, std::string& to,
                                   const std::string& help) {
  take_path(name, app_.add_option(name, to, help));
}
void Syntax::add_arguments(const std::string& name, std::vector<std::string>& to,
                           const std::string& help) {
  take_path(name, app_.add_option(name, to, help)->required());
}
void Syntax::add_optional_arguments(const std::string& name, std::vector<std::string>& to,
                                    const std::string& help) {
  take_path(name, app_.add_option(name, to, help)->expected(-1));
}

void Syntax::add_option(const OptionRow& row) {
  const bool is_path = job::names_path(row.value) && !job::takes_link(row.value);
  const CLI::callback_t take = [is_path, name = "--" + row.name,
                                take = row.take](const CLI::results_t& texts) {
    take(is_path ? base::user_path(texts.back(), name) : texts.back());
    return true;
  };
  // Triggered at each occurrence; otherwise CLI11 would sort them by the order of the table.
  CLI::Option* const added =
      app_.add_option(names_of(row.name), take, row.help)->trigger_on_parse();
  added->type_name(row.value)->group(std::string(row.group));
  added->expected(row.value.empty() ? 0 : 1);
}

const job::Given* Syntax::default_of(std::string_view option) const {
  const auto found = std::find_if(defaults_.rbegin(), defaults_.rend(),
                                  [&](const job::Given& one) { return one.name == option; });
  return found == defaults_.rend() ? nullptr : &*found;
}

void Syntax::when_chosen(std::function<void()> then) {
  app_.callback(std::move(then));
}

void parse_command_line(const ProgramSyntax& program, int argc, const char* const* argv,
                        bool prints) {
  const std::unique_ptr<CLI::App> app = make_app(program);
  try {
    app->parse(reversed_arguments(*app, argc, argv));
  } catch (const CLI::CallForVersion&) {
    if (prints) fmt::print("{}\n", program.version);
  } catch (const CLI::Success&) {
    if (prints) fmt::print("{}", base::wrapped(app->help(), base::columns_of(STDOUT_FILENO)));
  } catch (const CLI::ParseError& error) {
    throw base::Error(base::ExitCode::usage, explain(*app, error));
  }
}

std::vector<CommandHelp> describe_commands(const ProgramSyntax& program) {
  const std::unique_ptr<CLI::App> app = make_app(program);
  std::vector<CommandHelp> commands;
  for (const CLI::App* command : app->get_subcommands({})) {
    CommandHelp& help =
        commands.emplace_back(CommandHelp{command->get_name(), command->get_description(), {}});
    for (const CLI::Option* option : command->get_options()) {
      help.options.push_back(describe_option(*option));
    }
  }
  return commands;
}

}  // namespace tessera::command
