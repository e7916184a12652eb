#include "view/http/target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "base/read_number.hpp"

namespace tessera::view {
namespace {

// crossed by: has_a_bounded_number_of_parts
constexpr std::size_t kMaxParts = 64;  ///< segments of a path, and parameters

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text, bool plus_is_blank) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw HttpError(400, "the address has a % without two digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      throw HttpError(400, "the address has a control character");
    }
    result += c;
  }
  return result;
}

/// The pieces between `separator`s; an empty text has none.
std::vector<std::string_view> pieces_of(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    if (pieces.size() == kMaxParts) throw HttpError(400, "the address has too many parts");
    const std::size_t end = std::min(text.find(separator), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

}  // namespace

std::string_view Target::parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view{} : found->second;
}

Target parse_target(std::string_view text) {
  if (!text.starts_with('/')) throw HttpError(400, "the address does not begin with /");
  const std::size_t query = std::min(text.find('?'), text.size());
  Target target;
  for (const std::string_view piece :
       pieces_of(text.substr(1, std::max<std::size_t>(query, 1) - 1), '/')) {
    target.path.push_back(decoded(piece, false));
  }
  for (const std::string_view piece :
       pieces_of(text.substr(std::min(query + 1, text.size())), '&')) {
    const std::size_t end = std::min(piece.find('='), piece.size());
    std::string name = decoded(piece.substr(0, end), true);
    std::string value = decoded(piece.substr(std::min(end + 1, piece.size())), true);
    const bool is_new = target.parameters.try_emplace(name, std::move(value)).second;
    if (!is_new) throw HttpError(400, fmt::format("{} is given twice", base::printable(name)));
  }
  return target;
}

std::int64_t parse_number(std::string_view text, std::string_view what, std::int64_t low,
                          std::int64_t high, int status) {
  const auto number = base::read_integer(text);
  if (number && *number >= low && *number <= high) return *number;
  throw HttpError(status, fmt::format("{}: '{}' is not a whole number from {} to {}", what,
                                      base::printable(text), low, high));
}

}  // namespace tessera::view
