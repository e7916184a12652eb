#include "command/help/completions.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>

#include "base/text.hpp"
#include "color/palette.hpp"
#include "job/arrays/operations.hpp"
#include "job/image/formula.hpp"
#include "job/image/views.hpp"

namespace tessera::command {
namespace {

template <class Rows, class Row>
std::string names_of(const Rows& rows, std::string_view Row::*name) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.*name);
  return base::join(names, " ");
}

std::string palette_names() {
  std::vector<std::string> names;
  for (const color::Palette& palette : color::builtin_palettes()) names.push_back(palette.name);
  return base::join(names, " ");
}

std::string quantile_method_names() {
  std::vector<std::string> names;
  for (const std::string_view name : job::quantile_methods()) names.emplace_back(name);
  return base::join(names, " ");
}

/// "mandelbrot julia: ...": those with a parameter end in its colon.
std::string formula_names() {
  std::vector<std::string> names;
  for (const std::string& choice : base::split(job::formula_choices(), ',')) {
    const std::string name(base::trim(choice));
    const bool is_rest = name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0 ||
                         std::isupper(static_cast<unsigned char>(name[0])) != 0;
    const auto colon = name.find(':');
    if (!is_rest) names.push_back(colon == name.npos ? name : name.substr(0, colon + 1));
  }
  return base::join(names, " ");
}

/// Options whose value is a list of names with commas between them.
bool takes_list(const std::string& option) {
  return option == "op" || option == "fields" || option == "device";
}

/// The values that an option is likely to have, separated by blanks; "" if any text may follow.
std::string values_of(const std::string& option) {
  static const std::map<std::string, std::string> values = {
      {"view", names_of(job::views(), &job::View::name)},
      {"palette", palette_names()},
      {"op", names_of(job::operations(), &job::OperationRow::name)},
      {"device", "auto gpu cpu cuda opencl reference"},
      {"fields", "iterations smooth distance"},
      {"field", "iterations smooth"},
      {"isolate", "on off"},
      {"nan", "propagate skip"},
      {"arithmetic", "auto plain exact perturbation"},
      {"exact", "on off"},
      {"interior", "proven derivative"},
      {"formula", formula_names()},
      {"iterations", "auto"},
      {"png-depth", "8 16"},
      {"quantile-method", quantile_method_names()},
      {"tile", "auto"},
      {"size", "1920x1080 4k 8k 16k"}};
  const auto found = values.find(option);
  return found == values.end() ? "" : found->second;
}

/// Files may follow --palette, beside names.
bool takes_file(const OptionHelp& option) {
  return option.value.find("FILE") != option.value.npos || option.name == "palette";
}

constexpr std::string_view kHelpSummary = "print the help of a command";

std::string command_names(const std::vector<CommandHelp>& commands) {
  std::string names = "help";
  for (const CommandHelp& command : commands) names += " " + command.name;
  return names;
}

/// "--output -o"
std::string spellings(const OptionHelp& option) {
  return option.short_name.empty() ? "--" + option.name
                                   : fmt::format("--{} -{}", option.name, option.short_name);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// In single quotes for a shell.
std::string quoted(const std::string& text) {
  return "'" + replaced(text, "'", R"('\'')") + "'";
}

/// The options of all commands that take a value, each once.
std::map<std::string, const OptionHelp*> options_with_values(
    const std::vector<CommandHelp>& commands) {
  std::map<std::string, const OptionHelp*> options;
  for (const CommandHelp& command : commands) {
    for (const OptionHelp& option : command.options) {
      if (!option.argument && !option.value.empty()) options.emplace(option.name, &option);
    }
  }
  return options;
}

std::string zsh_value(const OptionHelp& option) {
  if (option.value.empty()) return "";
  const std::string values = values_of(option.name);
  if (values.empty()) return takes_file(option) ? ":file:_files" : ":value: ";
  if (takes_list(option.name)) return fmt::format(":value:_values -s , {} {}", option.name, values);
  if (!takes_file(option)) return fmt::format(":value:({})", replaced(values, ":", "\\:"));
  return fmt::format(":value:{{compadd {}; _files}}", values);
}

std::string zsh_option(const OptionHelp& option) {
  std::string help = option.help;
  for (const char* const special : {"[", "]", ":"}) {
    help = replaced(help, special, std::string("\\") + special);
  }
  const std::string value = zsh_value(option);
  const std::string equals = value.empty() ? "" : "=";
  const std::string name = fmt::format("--{}{}", option.name, equals);
  if (option.short_name.empty()) return quoted(fmt::format("{}[{}]{}", name, help, value));
  return fmt::format("{{-{},{}}}{}", option.short_name, name,
                     quoted(fmt::format("[{}]{}", help, value)));
}

}  // namespace

std::string bash_completion(const std::vector<CommandHelp>& commands) {
  std::string text = fmt::format(R"(# Completes tessera in bash.
# The last name of a list.
_tessera_list() {{
  local before=${{cur%"${{cur##*,}}"}}
  COMPREPLY=($(compgen -W "$1" -P "$before" -- "${{cur##*,}}"))
}}
_tessera() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] || [ "${{COMP_WORDS[1]}}" = help ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$cur"))
    return
  fi
  case $prev in
)",
                                 command_names(commands));
  for (const auto& [name, option] : options_with_values(commands)) {
    const std::string values = values_of(name);
    const std::string pattern = replaced(spellings(*option), " ", " | ");
    if (takes_list(name)) {
      text += fmt::format("    {}) _tessera_list \"{}\"; return ;;\n", pattern, values);
    } else if (!values.empty()) {
      text += fmt::format("    {}) COMPREPLY=($(compgen {}-W \"{}\" -- \"$cur\")); return ;;\n",
                          pattern, takes_file(*option) ? "-f " : "", values);
    } else if (takes_file(*option)) {
      text += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pattern);
    } else {
      text += fmt::format("    {}) return ;;\n", pattern);
    }
  }
  text += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp& command : commands) {
    std::vector<std::string> options;
    for (const OptionHelp& option : command.options) {
      if (!option.argument) options.push_back(spellings(option));
    }
    text += fmt::format("    {}) options=\"{}\" ;;\n", command.name, base::join(options, " "));
  }
  return text + R"(  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _tessera tessera
)";
}

std::string zsh_completion(const std::vector<CommandHelp>& commands) {
  std::string text = "#compdef tessera\n_tessera() {\n  local -a commands\n  commands=(\n";
  text += fmt::format("    {}\n", quoted(fmt::format("help:{}", kHelpSummary)));
  for (const CommandHelp& command : commands) {
    text += fmt::format("    {}\n", quoted(command.name + ":" + command.summary));
  }
  text += R"(  )
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
    _describe command commands
    [[ $PREFIX == -* ]] && compadd -- --help --version
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)";
  for (const CommandHelp& command : commands) {
    text += fmt::format("    {}) _arguments", command.name);
    for (const OptionHelp& option : command.options) {
      if (!option.argument) text += " \\\n      " + zsh_option(option);
    }
    text += " \\\n      '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_tessera \"$@\"\n";
}

std::string fish_completion(const std::vector<CommandHelp>& commands) {
  std::string text = fmt::format(R"(# Completes tessera in fish.
complete -c tessera -f -n __fish_use_subcommand -a help -d '{}'
complete -c tessera -f -n __fish_use_subcommand -l help -s h
complete -c tessera -f -n __fish_use_subcommand -l version -s V
complete -c tessera -f -n '__fish_seen_subcommand_from help' -a '{}'
)",
                                 kHelpSummary, command_names(commands));
  for (const CommandHelp& command : commands) {
    text += fmt::format("complete -c tessera -f -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, quoted(command.summary));
  }
  for (const CommandHelp& command : commands) {
    for (const OptionHelp& option : command.options) {
      if (option.argument) continue;
      const std::string values = values_of(option.name);
      std::string line =
          fmt::format("complete -c tessera -n '__fish_seen_subcommand_from {}' -l {}", command.name,
                      option.name);
      if (!option.short_name.empty()) line += " -s " + option.short_name;
      if (!option.value.empty()) line += takes_file(option) ? " -r -F" : " -x";
      if (takes_list(option.name)) {
        line += " -a " + quoted("(__fish_append , " + values + ")");
      } else if (!values.empty()) {
        line += " -a " + quoted(values);
      }
      text += fmt::format("{} -d {}\n", line, quoted(option.help));
    }
  }
  return text;
}

}  // namespace tessera::command
