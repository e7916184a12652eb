// tessera render: all stages, from the job to the report.
#pragma once

#include <optional>
#include <string>

#include "binding/render_lanes.hpp"
#include "farm/progress.hpp"
#include "job/image/render_job.hpp"
#include "render/image_sink.hpp"
#include "report/live_run.hpp"
#include "report/timings.hpp"
#include "run/context.hpp"

namespace tessera::render {

/// Collective. Returns the report of the run on the gather rank, an empty report elsewhere. Throws
/// the same base::Error on every rank, farm::StoppedRun<report::RunReport> with the report so far
/// if the run was asked to stop; job.output and job.png then exist only if they existed before.
/// `live`, on the gather rank, receives the progress.
report::RunReport render(run::Context& context, const job::RenderJob& asked,
                         report::LiveRun* live = nullptr);

/// Collective. The same into `sink`, which the gather rank uses.
report::RunReport render(run::Context& context, const job::RenderJob& asked, ImageSink& sink,
                         report::LiveRun* live = nullptr);

/// State that the images of a zoom share, kept between calls of render().
struct Sequence {
  std::string label;                      ///< label of the progress, such as "render 3 of 60"
  farm::Following following;              ///< images
  std::optional<binding::Meters> meters;  ///< from the first image on
  std::optional<binding::Lanes> lanes;    ///< open devices
  job::RenderJob deepest;                 ///< the image whose reference orbit serves all
  bool told = false;                      ///< that no point of an image escaped
};

/// Collective. The same for an image of a zoom, in the run of the calling thread.
report::RunReport render(comm::World& world, const job::RenderJob& asked, Sequence& sequence);

}  // namespace tessera::render
