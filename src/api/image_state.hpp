// What an ImageSpec holds.
#pragma once

#include <vector>

#include "api/names.hpp"
#include "job/image/options.hpp"
#include "job/image/render_job.hpp"

namespace tessera::v0 {

struct ImageSpec::State {
  job::RenderJob job;
  Options given;
};

}  // namespace tessera::v0

namespace tessera::api {

/// The options with their own names as origins, for messages.
std::vector<job::Given> given_of(const Options& options);

}  // namespace tessera::api
