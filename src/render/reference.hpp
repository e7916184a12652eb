// The reference orbit and the jump table that all pixels of a deep image share.
#pragma once

#include <cstdint>
#include <string>

#include "comm/world.hpp"
#include "deep/deep_image.hpp"
#include "job/image/render_job.hpp"

namespace tessera::render {

deep::Place place_of(const job::RenderJob& job);

/// Collective. For a job with perturbation: reads the reference orbit from the file `cache`, or
/// computes it on the gather rank, with a line of progress, and writes it to that file ("" = no
/// file). Then each rank makes its table. Throws the error of the gather rank on all ranks.
void prepare_reference(comm::World& world, const job::RenderJob& job, const std::string& command,
                       const std::string& cache);

/// Collective. The same with the orbit of `deepest`, an image of the same centre and iterations
/// that is as deep or deeper: its bits suffice for this one.
void prepare_reference(comm::World& world, const job::RenderJob& job, const std::string& command,
                       const std::string& cache, const job::RenderJob& deepest);

/// The reference orbit of a job with perturbation. After prepare_reference().
struct ReferenceFacts {
  std::int64_t iterations = 0;
  std::int64_t bits = 0;  ///< bits of each number
  bool escaped = false;   ///< it left the circle before the limit of iterations
};
ReferenceFacts reference_facts(const job::RenderJob& job);

}  // namespace tessera::render
