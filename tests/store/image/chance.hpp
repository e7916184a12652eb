// What tests leave to chance, and how often: tools/soak orders other seeds, and more of it.
#pragma once

#include <cstdlib>
#include <random>
#include <string>

namespace tessera::store {

/// `which` tells the tests of a file apart.
inline std::mt19937 chance(unsigned which) {
  const char* const seed = std::getenv("TESSERA_SEED");
  return std::mt19937(seed ? static_cast<unsigned>(std::stoul(seed)) * 16 + which : which);
}

inline int times() {
  const char* const text = std::getenv("TESSERA_SOAK");
  return text ? std::stoi(text) : 1;
}

}  // namespace tessera::store
