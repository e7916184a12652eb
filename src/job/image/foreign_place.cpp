#include "job/image/foreign_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tessera::job {
namespace {

using Text = std::string_view;

/// Whether lines begin with all of these keys, and a separator behind.
bool has_keys(Text text, std::initializer_list<Text> keys, char separator) {
  std::vector<Text> found;
  for (const std::string& line : base::split(text, '\n')) {
    const Text key = base::trim(Text(line).substr(0, line.find(separator)));
    const auto* const known = std::ranges::find(keys, key);
    if (line.find(separator) != line.npos && known != keys.end()) found.push_back(*known);
  }
  return std::ranges::all_of(keys, [&](Text key) { return std::ranges::count(found, key) > 0; });
}

bool is_fraktaler(Text text) {
  if (text.find("program = \"fraktaler-3\"") != text.npos) return true;
  if (has_keys(text, {"location.real", "location.imag"}, '=')) return true;
  return text.find("[location]") != text.npos && has_keys(text, {"real", "imag", "zoom"}, '=');
}

}  // namespace

std::string foreign_place(Text text) {
  constexpr Text kBom = "\xef\xbb\xbf";
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  const auto message = [](Text program, Text re, Text im, Text zoom, Text steps, Text note) {
    return fmt::format(
        "is a place of {}, which is not read; give its {} and {} as --center={},{}, its {} as "
        "--iterations, and as --width 4 / {} times width / height of the picture{}",
        program, re, im, re, im, steps, zoom, note);
  };
  if (has_keys(text, {"Re", "Im", "Zoom"}, ':')) {
    return message("Kalles Fraktaler (.kfr)", "Re", "Im", "Zoom", "Iterations",
                   "; without ImagPointsUp: 1 it is mirrored there");
  }
  if (is_fraktaler(text)) {
    return message("Fraktaler-3 (.f3.toml)", "location.real", "location.imag", "location.zoom",
                   "bailout.iterations", "");
  }
  return "";
}

}  // namespace tessera::job
