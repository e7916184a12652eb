// What --help and the manual pages say of a command beside its options.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace tessera::command {

struct Example {
  std::string_view what;  ///< one line, without a full stop
  std::string_view command;
};

struct CommandText {
  std::string_view command;
  std::string_view description;  ///< for the manual page
  std::array<Example, 3> examples;
  std::string_view related;  ///< commands, with commas between them
};

/// Null for a name that is no command.
const CommandText* find_command_text(std::string_view command);
/// The text of a command. Every command has one.
const CommandText& text_of_command(std::string_view command);

/// A file or a variable of the environment that commands read or write.
struct Surrounding {
  std::string_view name;
  std::string_view meaning;
};
std::span<const Surrounding> files_of_program();
std::span<const Surrounding> environment_of_program();

}  // namespace tessera::command
