// Texts of other programs: lines of keys and values, numbers as people write them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/foreign_text.hpp"

namespace tessera::place {

/// What is read, and its name for messages.
struct Source {
  std::string name;
  std::string text;
  std::string entry;  ///< which of several places, or ""
};

/// A usage error that begins with the name of the source.
[[noreturn]] void refuse(const Source& source, const std::string& why);

using Values = std::map<std::string, std::string, std::less<>>;

/// The lines "Key: value"; the last one of a key wins.
Values lines_of_keys(std::string_view text, char separator = ':');

/// The value of `key`, or `otherwise`.
std::string value_or(const Values& values, std::string_view key, std::string_view otherwise);

using base::lower;

/// A decimal number as it is. Refuses other text.
std::string decimal(const Source& source, std::string_view key, std::string_view text);
std::string decimal_value(const Source& source, const Values& values, std::string_view key,
                          std::string_view otherwise);
double real_value(const Source& source, const Values& values, std::string_view key,
                  double otherwise);

/// A whole number above 0, without separators of thousands.
std::string count(const Source& source, std::string_view key, std::string_view text);

}  // namespace tessera::place
