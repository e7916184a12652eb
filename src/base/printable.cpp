#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera::base {

namespace {

/// Size in bytes of the UTF-8 character at the start of `text` (RFC 3629); 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : bytes;
}

/// C0, DEL and C1: a terminal may obey all of them.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string escape_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

/// `text` with the characters replaced that `is_replaced` says, and all bytes that are not UTF-8.
template <class IsReplaced>
std::string replaced(std::string_view text, const IsReplaced& is_replaced) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    const bool stays = bytes > 0 && !is_replaced(character);
    shown += stays ? std::string(character) : escape_of(character);
    text.remove_prefix(character.size());
  }
  return shown;
}

/// The byte of an escape at the start of `text`. A name holds no 0.
std::optional<char> escaped_byte(std::string_view text) {
  constexpr std::size_t kLength = 4;
  if (text.size() < kLength || !text.starts_with("\\x")) return std::nullopt;
  unsigned byte = 0;
  const char* const end = text.data() + kLength;
  const auto parsed = std::from_chars(text.data() + 2, end, byte, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || byte == 0) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace

std::string from_printable(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::optional<char> byte = escaped_byte(text);
    bytes += byte.value_or(text.front());
    text.remove_prefix(byte ? 4 : 1);
  }
  return bytes;
}

std::string escaped(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const bool looks_escaped = escaped_byte(text).has_value();
    const std::size_t end = std::min(text.find("\\x", 1), text.size());
    shown += looks_escaped ? escape_of("\\") + printable(text.substr(1, end - 1))
                           : printable(text.substr(0, end));
    text.remove_prefix(end);
  }
  return shown;
}

std::string as_utf8(std::string_view text) {
  return replaced(text, [](std::string_view) { return false; });
}

std::string from_latin1(std::string_view text) {
  if (as_utf8(text) == text) return std::string(text);
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += {static_cast<char>(0xC0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3F))};
    }
  }
  return utf8;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    shown += printable(line);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    shown += '\n';
    text.remove_prefix(1);
  }
  return shown;
}

std::string printable(std::string_view text) {
  return replaced(text, is_control);
}

}  // namespace tessera::base
