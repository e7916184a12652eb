#include "base/version.hpp"

namespace tessera::base {

std::string_view version() {
  return TESSERA_VERSION;
}

/// Of programs that are not linked with commit.cpp: tests and benchmarks, which are not linked
/// again for each commit.
[[gnu::weak]] std::string_view commit() {
  return "unknown";
}

std::string version_and_commit() {
  return std::string(version()) + " (" + std::string(commit()) + ")";
}

}  // namespace tessera::base
