// Texts of other programs and of people: capitals and byte order marks mean nothing in them.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace tessera::base {

/// Without the byte order mark of UTF-8 that editors of Windows put in front.
inline std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kBom = "\xef\xbb\xbf";
  return text.starts_with(kBom) ? text.substr(kBom.size()) : text;
}

/// With small letters, of ASCII.
inline std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace tessera::base
