#include "command/help/manuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "command/help/command_texts.hpp"
#include "command/help/completions.hpp"
#include "command/help/options_page.hpp"

namespace tessera::command {
namespace {

/// Text for roff, which gives backslashes, and dots and quotes that begin a line, a meaning.
std::string in_roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    if (c == '-') out += "\\-";
    if (c != '\\' && c != '-') out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string page_head(const std::string& name, const std::string& version,
                      const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.ad l\n.SH NAME\n{} \\- {}\n",
                     upper(name), in_roff(version), in_roff(name), in_roff(summary));
}

std::string page_option(const OptionHelp& option) {
  if (option.argument) {
    return fmt::format(".TP\n.I {}\n{}\n", in_roff(option.name), in_roff(option.help));
  }
  std::string names = option.short_name.empty() ? "" : fmt::format("\\-{}, ", option.short_name);
  names += "\\-\\-" + in_roff(option.name);
  const std::string value =
      option.value.empty() ? "" : fmt::format(" \\fI{}\\fP", in_roff(option.value));
  return fmt::format(".TP\n\\fB{}\\fP{}\n{}\n", names, value, in_roff(option.help));
}

std::string surroundings(std::string_view title, std::span<const Surrounding> rows) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const Surrounding& row : rows) {
    text += fmt::format(".TP\n.I {}\n{}\n", in_roff(std::string(row.name)),
                        in_roff(std::string(row.meaning)));
  }
  return text;
}

std::string examples(const std::string& command) {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& example : text_of_command(command).examples) {
    if (!example.what.empty())
      text += fmt::format(".PP\n{}:\n", in_roff(std::string(example.what)));
    text += fmt::format(".PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", in_roff(std::string(example.command)));
  }
  return text;
}

/// "tessera(1), tessera-color(1)"
std::string see_also(std::string_view related) {
  std::string text = ".SH SEE ALSO\n.BR tessera (1)";
  for (const std::string& command : base::split(related, ',')) {
    text += fmt::format(",\n.BR tessera\\-{} (1)", in_roff(command));
  }
  return text + "\n";
}

std::string program_page(const ProgramSyntax& program, const std::vector<CommandHelp>& commands) {
  std::string text = page_head("tessera", program.version, program.summary);
  text += ".SH SYNOPSIS\n.B tessera\n.I COMMAND\n[\\fIOPTIONS\\fP]\n";
  text += ".SH DESCRIPTION\n" + in_roff(program.summary) +
          " Each command has a page of its own.\n.SH COMMANDS\n";
  for (const CommandHelp& command : commands) {
    text += fmt::format(".TP\n.BR tessera\\-{} (1)\n{}\n", command.name, in_roff(command.summary));
  }
  text += surroundings("FILES", files_of_program()) +
          surroundings("ENVIRONMENT", environment_of_program());
  return text + ".SH NOTES\n" + in_roff(program.footer) + "\n" + see_also("slurm");
}

std::string command_page(const ProgramSyntax& program, const CommandHelp& command) {
  const CommandText& about = text_of_command(command.name);
  std::string text = page_head("tessera-" + command.name, program.version, command.summary);
  text += fmt::format(".SH SYNOPSIS\n.B tessera {}\n[\\fIOPTIONS\\fP]", command.name);
  for (const OptionHelp& option : command.options) {
    if (!option.argument) continue;
    const std::string name =
        fmt::format("\\fI{}\\fP{}", in_roff(option.name), option.repeats ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  text += "\n.SH DESCRIPTION\n" + in_roff(std::string(about.description)) + "\n";
  std::string group;
  text += ".SH ARGUMENTS AND OPTIONS\n";
  for (const OptionHelp& option : command.options) {
    if (!option.argument && option.group.empty()) continue;
    if (!option.argument && option.group != group) text += ".SS " + option.group + "\n";
    if (!option.argument) group = option.group;
    text += page_option(option);
  }
  return text + examples(command.name) + surroundings("FILES", files_of_program()) +
         surroundings("ENVIRONMENT", environment_of_program()) + see_also(about.related);
}

void write_file(const std::string& path, const std::string& text) {
  base::PosixFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.close();
}

}  // namespace

void write_manuals(const ProgramSyntax& program, const std::string& folder) {
  const std::vector<CommandHelp> commands = describe_commands(program);
  const std::string share = folder + "/share/";
  write_file(share + "man/man1/tessera.1", program_page(program, commands));
  for (const CommandHelp& command : commands) {
    write_file(fmt::format("{}man/man1/tessera-{}.1", share, command.name),
               command_page(program, command));
  }
  write_file(folder + "/options.md", options_page(commands));
  write_file(share + "bash-completion/completions/tessera", bash_completion(commands));
  // Where zsh looks in /usr/local, and where Debian's zsh looks in /usr.
  for (const char* const folder_of_zsh : {"zsh/site-functions", "zsh/vendor-completions"}) {
    write_file(share + folder_of_zsh + "/_tessera", zsh_completion(commands));
  }
  write_file(share + "fish/vendor_completions.d/tessera.fish", fish_completion(commands));
}

}  // namespace tessera::command
