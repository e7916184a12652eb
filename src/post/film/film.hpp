// Makes a film of the images of a zoom: all ranks make frames, and the gather rank writes them as
// pictures or passes them to ffmpeg.
#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.hpp"
#include "comm/world.hpp"
#include "job/image/film_job.hpp"
#include "report/timings.hpp"

namespace tessera::post {

struct FilmResult {
  std::vector<report::ThreadReport> threads;  ///< threads of this rank
  base::ImageSize size_px;
  std::int64_t images = 0;         ///< images of the zoom
  std::int64_t frames = 0;         ///< frames of the film
  std::int64_t found_frames = 0;   ///< pictures of earlier runs that are kept; on the gather rank
  std::uint64_t output_bytes = 0;  ///< written by this run; on the gather rank only
  plan::Repeats repeats;           ///< on the gather rank only
};

/// Collective. Ranks that cannot read the files do no work. Pictures that are there with the same
/// pixels are kept. Throws the same base::Error on every rank; a stop keeps the pictures so far.
FilmResult make_film(comm::World& world, job::FilmJob job);

}  // namespace tessera::post
