#include "post/color/equalize.hpp"

#include "comm/broadcast_value.hpp"

namespace tessera::post {
namespace {

/// Cycles of the palette in all pixels.
double equal_cycles(const job::Coloring& job) {
  return job.palette_cycle > 0 ? job.palette_cycle : 1;
}

/// From the least value on if values are high and close together.
void equalize(comm::World& world, const job::Coloring& job, bool readable,
              const CountSteps& count_steps, ColorRule& rule) {
  color::StepCounts counts = count_steps(rule.range);
  rule.range.least = comm::broadcast_value(world, counts.coarse_least());
  if (rule.range.least > 0) counts = count_steps(rule.range);
  rule.phases = comm::broadcast_value(world, counts.phases(equal_cycles(job), 0));
  if (!readable) rule.phases.resize(2);
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
  return counts.phases(equal_cycles(job), job.palette_offset);
}

color::Colorizer ColorRule::colorizer(const job::Coloring& coloring) const {
  const bool bytes = coloring.png_depth == 8;
  if (phases.empty()) return {palette, range.iterations, phase_of(coloring), bytes};
  std::vector<double> moved = phases;
  for (double& phase : moved) phase += coloring.palette_offset;
  return {palette, range, moved, bytes};
}

ColorRule make_color_rule(comm::World& world, const job::Coloring& job,
                          const color::Palette& palette, std::uint64_t iterations, bool readable,
                          const CountSteps& count_steps) {
  ColorRule rule{palette, iterations, {}};
  if (job.equalize) equalize(world, job, readable, count_steps, rule);
  return rule;
}

color::Colorizer make_colorizer(comm::World& world, const job::Coloring& job,
                                const color::Palette& palette, std::uint64_t iterations,
                                bool readable, const CountSteps& count_steps) {
  return make_color_rule(world, job, palette, iterations, readable, count_steps).colorizer(job);
}

}  // namespace tessera::post
