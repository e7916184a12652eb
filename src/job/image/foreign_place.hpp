// Files in which other programs keep a place of a fractal.
#pragma once

#include <string>
#include <string_view>

namespace tessera::job {

/// For a message behind the name of a file that begins with `text`: which program's place it is,
/// and the command that shows it; "" if it is none that is known.
std::string foreign_place(std::string_view text);

}  // namespace tessera::job
