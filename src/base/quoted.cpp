#include "base/quoted.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

namespace tessera::base {
namespace {

/// With a backslash before `quote` and backslashes; control characters by `control`.
std::string backslashed(std::string_view text, char quote, fmt::format_string<int> control) {
  std::string quoted(1, quote);
  for (const char c : as_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format(control, static_cast<int>(byte));
      continue;
    }
    if (c == quote || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + quote;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  return backslashed(text, '"', "\\u{:04x}");
}

std::string python_quoted(std::string_view text) {
  return backslashed(text, '\'', "\\x{:02x}");
}

std::string csv_field(std::string_view text) {
  // Blanks at an end, which readers may trim, and what looks like a byte order mark.
  const bool plain = text.find_first_of(",\"\r\n") == text.npos && !text.empty() &&
                     !text.starts_with("\xef\xbb\xbf") && text.front() != ' ' && text.back() != ' ';
  if (plain) return as_utf8(text);
  std::string field = "\"";
  for (const char c : as_utf8(text)) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + '"';
}

}  // namespace tessera::base
