// A job of `tessera verify`, which checks a rendered file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

struct VerifyJob : RunSpec {
  std::string input;
  std::int64_t sample = 32;   ///< number of sampled tiles
  std::string sample_device;  ///< "" = a device other than the one that made the file
  std::uint64_t seed = 1;
  bool repair = false;
};

std::span<const Option<VerifyJob>> verify_options();

}  // namespace tessera::job
