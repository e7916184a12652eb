// tessera render --frames: the images of a zoom, one after another, each by all ranks.
#pragma once

#include "job/image/render_job.hpp"
#include "report/timings.hpp"
#include "run/context.hpp"

namespace tessera::render {

/// Image `frame`, from 0, of the zoom `film`, as a job of its own. The last one has the width of
/// `film`; the one before it is wider by job.zoom_per_frame, and so on.
job::RenderJob frame_of(const job::RenderJob& film, int frame);

/// Collective. Renders the images that are not complete, the widest first. Returns the report of
/// all of them on the gather rank, an empty report elsewhere. Throws as render() does; the images
/// before are then complete, and the same call resumes.
report::RunReport render_film(run::Context& context, const job::RenderJob& film);

}  // namespace tessera::render
