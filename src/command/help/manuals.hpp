// Manual pages and completions for shells, from the tables of options.
#pragma once

#include <string>

#include "command/syntax.hpp"

namespace tessera::command {

/// Writes the files below `folder`, under the paths of an installation: share/man/man1,
/// share/bash-completion/completions, share/zsh/site-functions, share/fish/vendor_completions.d.
void write_manuals(const ProgramSyntax& program, const std::string& folder);

}  // namespace tessera::command
