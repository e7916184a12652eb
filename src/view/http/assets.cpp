#include "view/http/assets.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "view/http/embedded_files.hpp"

namespace tessera::view {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes = {
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"}}};

std::string_view type_of_file(std::string_view name) {
  for (const auto& [suffix, type] : kTypes) {
    if (name.ends_with(suffix)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

std::span<const Asset> assets() {
  static const std::vector<Asset> all = [] {
    std::vector<Asset> list;
    for (const auto& [name, text] : embedded_files()) {
      list.push_back({name, type_of_file(name), text});
    }
    return list;
  }();
  return all;
}

void check_pages(const std::string& what) {
  if (!assets().empty()) return;
  throw base::missing_error(
      "{}: this build has no web pages: it was configured without Leaflet (docs/install.md, "
      "\"Libraries\")",
      what);
}

const Asset* find_asset(std::string_view name) {
  const auto found = std::ranges::find(assets(), name, &Asset::name);
  return found == assets().end() ? nullptr : &*found;
}

}  // namespace tessera::view
