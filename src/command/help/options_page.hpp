// docs/options.md: the reference of options and job files. The hidden command `tessera
// options-page` prints it from the tables of options.
#pragma once

#include <span>
#include <string>

#include "command/syntax.hpp"

namespace tessera::command {

/// The page as Markdown. A command with the arguments and options of an earlier one refers to it.
std::string options_page(std::span<const CommandHelp> commands);

}  // namespace tessera::command
