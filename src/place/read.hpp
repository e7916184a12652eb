// Reads the place of a file of another program, of a picture, or of a link.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "place/place.hpp"

namespace tessera::place {

/// The place that the text holds; nothing if it is of no notation that is known. `name` begins the
/// messages. Throws a usage error for a place that cannot be rendered as it is.
std::optional<Place> read_text(std::string_view text, const std::string& name,
                               const std::string& entry = "");

/// Whether the text is surely a file of another program: no post, no link.
bool is_foreign(std::string_view text);

/// The place of `name`: a file, FILE:ENTRY, a picture with a place in its texts, or a link itself.
/// Nothing for files that hold none, and for those of Tessera.
std::optional<Place> read_place(const std::string& name);

}  // namespace tessera::place
