#include "command/help/options_page.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "command/help/command_texts.hpp"
#include "job/image/options.hpp"

namespace tessera::command {
namespace {

constexpr std::string_view kBeginning =
    R"(<!-- Written by the program: a build makes it as src/manuals/options.md. A test compares the two. -->

# Options and job files

`tessera COMMAND --help` prints the options of a command. This page has those of all commands, in the same words. If
an option is given twice, the last one counts.

| value | is written as |
|---|---|
| `N` | `10000`, `1e4` or `10k`; `k`, `M` and `G` are powers of 1000 |
| `SIZE` | bytes: `512M`, `2G`; `K`, `M`, `G` and `T` are powers of 1024 |
| `TIME` | seconds: `90`, `1.5` (whole ones for `--checkpoint`, `--device-timeout`); or with units: `45m`, `1h30m`, `2d` |
| `WxH` | pixels: `3840x2160`, `4k`, `8k`, `16k`; a single number is a square |
| `LIST` | parts with commas between them |
| no value | the option alone switches it on |

)";

constexpr std::string_view kJobFiles =
    R"(## Job files

`tessera render JOB.toml` and `tessera plan JOB.toml` read a [TOML](https://toml.io) file. Its keys are the options of
these commands, without the dashes. An option on the command line wins over the file. An unknown key is an error that
names the file and the line. A table `[film]` has options of `tessera film`, and its OUT as `output`: `tessera film JOB.toml`
makes the film of the images, in the colours of the file.

```toml
view = "trunk"
size = "3840x2160"
fields = ["iterations", "smooth"]
output = "trunk.h5"
```

| key | type | default |
|---|---|---|
)";

std::string in_table(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

/// The text and the default value of "text [default]".
std::pair<std::string, std::string> without_default(const std::string& help) {
  const std::size_t mark = help.rfind(" [");
  if (mark == std::string::npos || help.find(']', mark) != help.size() - 1) return {help, ""};
  return {help.substr(0, mark), help.substr(mark + 2, help.size() - mark - 3)};
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

std::string row(const OptionHelp& option) {
  const auto [help, usual] = without_default(option.help);
  const std::string short_name =
      option.short_name.empty() ? "" : fmt::format("`-{}`, ", option.short_name);
  const std::string name = option.argument ? in_table(option.name) : "--" + option.name;
  return fmt::format("| {}`{}{}{}` | {} | {} |\n", short_name, name,
                     option.argument || option.value.empty() ? "" : " ",
                     option.argument ? "" : in_table(option.value), in_table(help), code(usual));
}

auto all_of(const OptionHelp& option) {
  return std::tie(option.short_name, option.name, option.value, option.help);
}

std::vector<OptionHelp> rows_of(const CommandHelp& command) {
  std::vector<OptionHelp> rows = command.options;
  std::erase_if(rows, [](const OptionHelp& option) {
    return option.name == "help" || (!option.argument && option.group.empty());
  });
  return rows;
}

bool same_rows(const CommandHelp& a, const CommandHelp& b) {
  return std::ranges::equal(a.options, b.options, {}, all_of, all_of);
}

/// The first command with the same arguments and options.
const CommandHelp& first_like(std::span<const CommandHelp> commands, const CommandHelp& command) {
  return *std::ranges::find_if(commands,
                               [&](const CommandHelp& other) { return same_rows(other, command); });
}

std::string section(std::span<const CommandHelp> commands, const CommandHelp& command) {
  std::string text =
      fmt::format("## tessera {}\n\n{}\n\n", command.name, in_table(command.summary));
  const CommandHelp& first = first_like(commands, command);
  if (&first != &command) {
    return text +
           fmt::format("The arguments and options are those of `tessera {}`.\n\n", first.name);
  }
  text += "| option | meaning | default |\n|---|---|---|\n";
  for (const OptionHelp& option : rows_of(command)) text += row(option);
  text += "\n";
  if (command.name == "plan") text += "The other options of `tessera render` are taken, too.\n\n";
  const auto& examples = text_of_command(command.name).examples;
  if (examples.empty()) return text;
  text += "```sh skip=files\n";
  for (const Example& example : examples) {
    if (!example.what.empty()) text += fmt::format("# {}\n", example.what);
    text += fmt::format("{}\n", example.command);
  }
  return text + "```\n\n";
}

std::string_view type_in_job_file(job::Kind kind) {
  if (kind == job::Kind::text) return "string";
  if (kind == job::Kind::list) return "string or array";
  if (kind == job::Kind::toggle) return "`true` or `false`";
  return "number or string";
}

std::string job_file_keys() {
  const job::RenderJob defaults;
  std::string text;
  for (const auto& option : job::render_options()) {
    text += fmt::format("| `{}` | {} | {} |\n", option.name, type_in_job_file(option.kind),
                        code(option.get(defaults)));
  }
  return text;
}

}  // namespace

std::string options_page(std::span<const CommandHelp> commands) {
  std::string page(kBeginning);
  for (const CommandHelp& command : commands) page += section(commands, command);
  return page.append(kJobFiles).append(job_file_keys());
}

}  // namespace tessera::command
