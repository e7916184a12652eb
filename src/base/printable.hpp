// Makes text from any source safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// Replaces control characters, which a terminal may obey, and bytes that are not UTF-8 by \x1b and
/// the like. For text from files or from the command line.
std::string printable(std::string_view text);

/// The bytes of a text in which printable() may have replaced some.
std::string from_printable(std::string_view text);

/// As printable(), and from_printable() always gives the same bytes again: two names never look
/// alike.
std::string escaped(std::string_view text);

/// Replaces only bytes that are not UTF-8. For names in files that others read.
std::string as_utf8(std::string_view text);

/// UTF-8 as it is; other bytes as Latin-1, which older files have.
std::string from_latin1(std::string_view text);

/// The same as printable() for several lines; line ends stay.
std::string printable_lines(std::string_view text);

}  // namespace tessera::base
