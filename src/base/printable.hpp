// Makes text from any source safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// Replaces control characters, which a terminal may obey, and bytes that are not UTF-8 by \x1b and
/// the like. For text from files or from the command line.
std::string printable(std::string_view text);

/// The same for several lines; line ends stay.
std::string printable_lines(std::string_view text);

}  // namespace tessera::base
