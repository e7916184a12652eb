// Completion scripts for shells. For manuals.cpp only.
#pragma once

#include <string>
#include <vector>

#include "command/syntax.hpp"

namespace tessera::command {

std::string bash_completion(const std::vector<CommandHelp>& commands);
std::string zsh_completion(const std::vector<CommandHelp>& commands);
std::string fish_completion(const std::vector<CommandHelp>& commands);

}  // namespace tessera::command
