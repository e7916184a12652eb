// The files of the page, in a source that cmake/EmbedFiles.cmake generates.
#pragma once

#include <string_view>
#include <vector>

namespace tessera::view {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

std::vector<EmbeddedFile> embedded_files();

}  // namespace tessera::view
