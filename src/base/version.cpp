#include "base/version.hpp"

#include "tessera_commit.hpp"  // generated at each build by cmake/commit.cmake

namespace tessera::base {

std::string_view version() {
  return TESSERA_VERSION;
}

std::string_view commit() {
  return TESSERA_COMMIT;
}

std::string version_and_commit() {
  return std::string(version()) + " (" + std::string(commit()) + ")";
}

}  // namespace tessera::base
