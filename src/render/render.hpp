// tessera render: the whole spine, from the job to the report.
#pragma once

#include "comm/world.hpp"
#include "job/render_job.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// Collective. On the gather rank the report of the run, elsewhere an empty one. Throws base::Error
/// on every rank alike; then job.output and job.png do not exist unless they did before.
report::RunReport render(comm::World& world, const job::RenderJob& job);

}  // namespace tessera::render
