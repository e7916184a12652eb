// What an ImageSpec holds.
#pragma once

#include <vector>

#include "job/image/options.hpp"
#include "job/image/render_job.hpp"
#include "tessera/image.hpp"

namespace tessera::inline v0 {

struct ImageSpec::State {
  job::RenderJob job;
};

}  // namespace tessera::inline v0

namespace tessera::api {

/// The options with their own names as origins, for messages.
std::vector<job::Given> given_of(const Options& options);

}  // namespace tessera::api
