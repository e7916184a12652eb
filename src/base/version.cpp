#include "base/version.hpp"

namespace tessera::base {

std::string_view version() {
  return TESSERA_VERSION;
}

/// commit.cpp, which only the program and the library link, replaces it. So a commit does not link
/// tests and benchmarks again.
[[gnu::weak]] std::string_view commit() {
  return "unknown";
}

std::string version_and_commit() {
  return std::string(version()) + " (" + std::string(commit()) + ")";
}

}  // namespace tessera::base
