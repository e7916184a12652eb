// Turns --from, which names a place, into the options that it stands for; places as commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/image/options.hpp"
#include "place/place.hpp"

namespace tessera::command {

/// Inserts the options that --from means before those that were given, which win. `place`: if it is
/// read already. Returns what was understood of a place of another program, for a person; "" for
/// files of Tessera.
std::string add_from(std::vector<job::Given>& all, std::optional<place::Place> place);

/// The place of a file of any program, of an image or picture of Tessera, of a link, or of standard
/// input.
place::Place place_of_file(const std::string& file);

/// "tessera render --NAME=VALUE ...".
std::string render_command_of(const std::vector<job::Given>& options);

bool from_standard_input(const std::vector<job::Given>& all);

bool is_quiet(const std::vector<job::Given>& all);

}  // namespace tessera::command
