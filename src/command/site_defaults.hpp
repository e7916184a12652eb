// Defaults of a site and of a user: options that stand before those of a job file and of the
// command line.
#pragma once

#include <string>
#include <vector>

#include "comm/world.hpp"
#include "job/image/options.hpp"

namespace tessera::command {

/// Collective. What the gather rank finds, for all ranks; later ones win:
/// - etc/tessera.toml of the prefix that the program is installed in, or else /etc/tessera.toml
/// - tessera.toml in $XDG_CONFIG_HOME or ~/.config
/// - the words of $TESSERA_OPTIONS
/// With TESSERA_DEFAULTS=none the files are not read. A usage error names the file and the line, or
/// the variable: of what no command has, and of options that decide what is computed, which belong
/// to a job.
std::vector<job::Given> read_defaults(comm::World& world);

/// The defaults and then the options that win over them.
std::vector<job::Given> joined(const std::vector<job::Given>& defaults,
                               const std::vector<job::Given>& given);

/// The defaults that no option of `given` replaces, each once: "memory=8G (/etc/tessera.toml:2)".
std::string defaults_text(const std::vector<job::Given>& defaults,
                          const std::vector<job::Given>& given);

}  // namespace tessera::command
