// The table of the notations of places.
#pragma once

#include <span>
#include <string_view>

#include "place/numbers.hpp"
#include "place/place.hpp"

namespace tessera::place {

/// A notation: recognised by what the text contains, then read. A reader refuses what is known to
/// be another formula, and what it cannot read, by a usage error.
struct Format {
  std::string_view name;
  /// Files of a program are sure; a post or a link may be any text.
  bool sure = true;
  bool (*is)(std::string_view text);
  Place (*read)(const Source& source);
};

/// In the order in which they are tried.
std::span<const Format> formats();

bool is_imagina_binary(std::string_view text);
Place read_imagina_binary(const Source& source);
bool is_imagina_text(std::string_view text);
Place read_imagina_text(const Source& source);
bool is_fraktaler(std::string_view text);
Place read_fraktaler(const Source& source);
bool is_fractalshark(std::string_view text);
Place read_fractalshark(const Source& source);
bool is_fractalshark_list(std::string_view text);
Place read_fractalshark_list(const Source& source);
bool is_xaos(std::string_view text);
Place read_xaos(const Source& source);
bool is_ultra_fractal(std::string_view text);
Place read_ultra_fractal(const Source& source);
bool is_fractint(std::string_view text);
Place read_fractint(const Source& source);
bool is_kalles_fraktaler(std::string_view text);
Place read_kalles_fraktaler(const Source& source);
bool is_link(std::string_view text);
/// Whether its numbers are known.
bool is_known_link(std::string_view link);
Place read_link(const Source& source);
bool is_post(std::string_view text);
Place read_post(const Source& source);

}  // namespace tessera::place
