// tessera render: all stages, from the job to the report.
#pragma once

#include "comm/world.hpp"
#include "job/render_job.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// Collective. Returns the report of the run on the gather rank, an empty report elsewhere. Throws
/// the same base::Error on every rank; job.output and job.png then exist only if they existed
/// before.
report::RunReport render(comm::World& world, const job::RenderJob& asked);

}  // namespace tessera::render
