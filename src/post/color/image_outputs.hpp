// The output files of a render: looked at once, and checked, before any work.
#pragma once

#include <cstdint>
#include <string>

#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/picture.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// The files under the names of a job's outputs.
struct OutputsOnDisk {
  store::ImageOnDisk image;
  store::PictureOnDisk picture;
};

/// Throws a usage error if another run is writing the image.
OutputsOnDisk look_at_outputs(const job::RenderJob& job);

/// The facts that the job takes over from an image that it resumes or keeps.
struct TakenOver {
  std::uint64_t iterations = 0;  ///< 0: the job's own
  int tile_px = 0;               ///< 0: the job's own
  bool counts_only = false;  ///< the image has no smooth values, which the job has by default only
};
TakenOver taken_over(const job::RenderJob& job, const OutputsOnDisk& disk);

/// The job with them.
job::RenderJob adapted(job::RenderJob job, const TakenOver& from);

/// Checks that the outputs can be written, that the disk has room for the smallest possible file,
/// and that an existing file belongs to the same job or may be replaced. Throws usage errors, or a
/// missing error if --resume finds nothing; `what` is the name of the output in messages. Returns
/// the file to resume from; none if the job has --overwrite.
store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles,
                                       const OutputsOnDisk& disk,
                                       const std::string& what = "--output");

/// Whether nothing has to be rendered, after check_render_outputs().
bool is_complete(const job::RenderJob& job, const store::FoundImage& found,
                 const OutputsOnDisk& disk);

}  // namespace tessera::post
