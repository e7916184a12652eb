// The files of the page, which are part of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera::view {

struct Asset {
  std::string_view name;  ///< "app.js", "leaflet/leaflet.css"
  std::string_view type;  ///< "text/css; charset=utf-8"
  std::string_view text;
};

std::span<const Asset> assets();

/// Throws a missing error that starts with `what` in a build without the pages.
void check_pages(const std::string& what);

/// Null if there is none of that name.
const Asset* find_asset(std::string_view name);

}  // namespace tessera::view
