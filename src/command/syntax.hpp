// The command line syntax of the commands. Only one source includes CLI11, because it is slow to
// compile. It only collects text, so that the command line and job files share their parsing and
// messages.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/image/options.hpp"
#include "job/run_options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace tessera::command {

/// An option as --help shows it. `take` is called for each occurrence, in the order of the command
/// line.
struct OptionRow {
  std::string name;        ///< without the dashes
  std::string value;       ///< "WxH"; "" for a toggle
  std::string help;        ///< one line
  std::string_view group;  ///< heading in --help; "" = the option is not shown
  std::function<void(const std::string& text)> take;
};

constexpr std::string_view scope_title(job::Scope scope) {
  switch (scope) {
    case job::Scope::image:
      return "Image";
    case job::Scope::output:
      return "Output";
    case job::Scope::run:
      return "Run";
  }
  return "Options";
}

/// The arguments of one command. The variables that they are stored in must outlive the parsing.
class Syntax {
 public:
  /// `defaults`: of the site and of the user (command/site_defaults.hpp).
  explicit Syntax(CLI::App& app, std::span<const job::Given> defaults = {})
      : app_(app), defaults_(defaults) {}

  void add_argument(const std::string& name, std::string& to, const std::string& help);
  void add_optional_argument(const std::string& name, std::string& to, const std::string& help);
  /// At least one.
  void add_arguments(const std::string& name, std::vector<std::string>& to,
                     const std::string& help);
  void add_optional_arguments(const std::string& name, std::vector<std::string>& to,
                              const std::string& help);
  void add_option(const OptionRow& row);
  /// Appends `text` to the help of an option that add_options() will add.
  void add_note(const std::string& option, std::string text) { notes_[option] = std::move(text); }
  /// Adds `options`; --help shows the values of T{} as defaults. Parsing appends to `given`.
  /// Options that are not among `shown` are taken without being shown; empty = all are shown.
  /// Defaults of the options go to `given_before`, or else to the front of `given`.
  template <class T>
  void add_options(std::span<const job::Option<T>> options, std::vector<job::Given>& given,
                   std::span<const std::string_view> shown = {},
                   std::vector<job::Given>* given_before = nullptr) {
    for (const job::Option<T>& option : options) {
      if (takes_default(option.name, option.help))
        add_defaults(option.name, given_before ? *given_before : given);
    }
    const T defaults{};
    for (const job::Option<T>& option : options) {
      const bool toggle = option.kind == job::Kind::toggle;
      const std::string usual = toggle ? "" : option.get(defaults);
      add_option({.name = std::string(option.name),
                  .value = toggle ? "" : std::string(option.value),
                  .help = usual.empty()
                              ? help_of(option.name, option.help)
                              : fmt::format("{} [{}]", help_of(option.name, option.help), usual),
                  .group = shown.empty() || std::ranges::find(shown, option.name) != shown.end()
                               ? scope_title(option.scope)
                               : std::string_view(),
                  .take = [&given, name = std::string(option.name)](const std::string& text) {
                    given.push_back({name, text, "--" + name});
                  }});
    }
  }
  /// The default that the site or the user has for an option; null if there is none.
  const job::Given* default_of(std::string_view option) const;
  /// Sets the function that is called after all arguments are stored, if this command was chosen.
  void when_chosen(std::function<void()> then);

 private:
  /// Some commands have a --device of another meaning.
  static bool takes_default(std::string_view option, std::string_view help) {
    return option != "device" || help == job::run_option_row(job::RunOption::device).help;
  }
  void add_defaults(std::string_view option, std::vector<job::Given>& given) const {
    if (const job::Given* const usual = default_of(option)) given.push_back(*usual);
  }
  std::string help_of(std::string_view option, std::string_view help) const {
    const auto note = notes_.find(option);
    return std::string(help) + (note == notes_.end() ? "" : note->second);
  }

  CLI::App& app_;
  std::span<const job::Given> defaults_;
  std::map<std::string, std::string, std::less<>> notes_;
};

/// Adds --json to a command without other options of a job.
inline void add_json(Syntax& syntax, job::RunSpec& job) {
  const job::Option<job::RunSpec>& row = job::run_option_row(job::RunOption::json);
  syntax.add_option({std::string(row.name), "", std::string(row.help), scope_title(row.scope),
                     [&job, &row](const std::string&) { row.set(job, "true", "--json"); }});
}

struct CommandSyntax {
  std::string name;
  std::string summary;
  std::function<void(Syntax&)> add;
};

struct ProgramSyntax {
  std::string summary;
  std::string version;
  std::string footer;
  std::vector<CommandSyntax> commands;
  std::vector<job::Given> defaults{};
};

/// An option or argument for manuals.
struct OptionHelp {
  std::string short_name;  ///< "o", or ""
  std::string name;        ///< "output" of an option, "FILE.h5" of an argument
  std::string value;       ///< "" for a toggle and for an argument
  std::string help;
  std::string group;
  bool argument = false;  ///< it has no dashes
  bool required = false;
  bool repeats = false;  ///< an argument that may be given several times
};

struct CommandHelp {
  std::string name;
  std::string summary;
  std::vector<OptionHelp> options;
};

/// The commands with their arguments and options, in the order of --help.
std::vector<CommandHelp> describe_commands(const ProgramSyntax& program);

/// Stores the arguments of the chosen command. If help is requested, prints it on the rank with
/// `prints`, fitted to the terminal. Throws base::Error for an unknown command or argument.
void parse_command_line(const ProgramSyntax& program, int argc, const char* const* argv,
                        bool prints);

}  // namespace tessera::command
