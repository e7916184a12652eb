// Text that may come from anywhere, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// Control characters, which a terminal may obey, and bytes that are no UTF-8 become \x1b and the
/// like; all else stays as it is. Of what comes out of files or off a command line.
std::string printable(std::string_view text);

/// The same for several lines, whose ends stay.
std::string printable_lines(std::string_view text);

}  // namespace tessera::base
