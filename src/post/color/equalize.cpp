#include "post/color/equalize.hpp"

#include "comm/broadcast_value.hpp"

namespace tessera::post {
namespace {

/// From the least value on if values are high and close together.
color::Colorizer equalized(comm::World& world, const job::Coloring& job,
                           const color::Palette& palette, color::ValueRange range, bool readable,
                           const CountSteps& count_steps) {
  color::StepCounts counts = count_steps(range);
  range.least = comm::broadcast_value(world, counts.coarse_least());
  if (range.least > 0) counts = count_steps(range);
  const auto phases = comm::broadcast_value(world, equal_phases(job, counts));
  return {palette, range, readable ? phases : std::vector<double>(2), job.png_depth == 8};
}

}  // namespace

color::Phase phase_of(const job::Coloring& job) {
  color::Phase phase{.offset = job.palette_offset,
                     .scale = static_cast<color::Scale>(job.palette_scale.kind),
                     .period = job.palette_scale.period};
  if (job.palette_cycle > 0) phase.cycles_per_octave = job.palette_cycle;
  return phase;
}

std::vector<double> equal_phases(const job::Coloring& job, const color::StepCounts& counts) {
  return counts.phases(job.palette_cycle > 0 ? job.palette_cycle : 1, job.palette_offset);
}

color::Colorizer make_colorizer(comm::World& world, const job::Coloring& job,
                                const color::Palette& palette, std::uint64_t iterations,
                                bool readable, const CountSteps& count_steps) {
  if (job.equalize) return equalized(world, job, palette, iterations, readable, count_steps);
  return {palette, iterations, phase_of(job), job.png_depth == 8};
}

}  // namespace tessera::post
