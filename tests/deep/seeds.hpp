// The places of tests at random places, from the options --seed N --places N in front of
// GoogleTest's options.
#pragma once

#include <vector>

namespace tessera::deep {

/// One for each place: as many as the test takes by default, from 1 on, or those of the command
/// line.
const std::vector<unsigned>& seeds();

}  // namespace tessera::deep
