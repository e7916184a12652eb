// Text within quotes, as formats of other programs take it. Bytes that are not UTF-8 are \xff and
// the like in all of them (as_utf8()), since none of these formats has any other bytes.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// A JSON string (RFC 8259), with its quotes.
std::string json_quoted(std::string_view text);

/// A string literal of Python, with its quotes.
std::string python_quoted(std::string_view text);

/// A field of a CSV file (RFC 4180): in quotes where it has to be.
std::string csv_field(std::string_view text);

}  // namespace tessera::base
