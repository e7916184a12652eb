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
  const auto message = [](Text program) {
    return fmt::format("is a place of {}; render it with --from, or see tessera place", program);
  };
  if (has_keys(text, {"Re", "Im", "Zoom"}, ':')) return message("Kalles Fraktaler (.kfr)");
  if (is_fraktaler(text)) return message("Fraktaler-3 (.f3.toml)");
  return "";
}

}  // namespace tessera::job
