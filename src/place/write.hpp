// Writes a place as other programs keep it.
#pragma once

#include <string>
#include <string_view>

#include "place/place.hpp"

namespace tessera::place {

/// The text of a file: `as` is a name of written_names(). Throws a usage error for a formula that
/// the program lacks.
std::string written(const Place& place, std::string_view as);

/// "kfr, f3", for messages.
std::string written_names();

}  // namespace tessera::place
