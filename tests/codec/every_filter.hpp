// A chunk that went through every kind of filter, for tests that all of them must pass.
#pragma once

#include <string>
#include <vector>

#include "encoders.hpp"

namespace tessera::codec {

struct Sample {
  std::string name;
  Filters filters;
  Bytes stored;
  /// Whether a chunk of another size is noticed by the size that is stored.
  bool carries_size = false;
};

/// `raw` through each kind, with the settings that matter. At least 32 elements.
std::vector<Sample> every_filter(const Bytes& raw, std::size_t element_bytes);

}  // namespace tessera::codec
