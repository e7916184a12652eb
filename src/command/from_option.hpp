// Turns --from, which names a place, into the options that it stands for.
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

bool from_standard_input(const std::vector<job::Given>& all);

bool is_quiet(const std::vector<job::Given>& all);

}  // namespace tessera::command
