// Colours of values: by logarithm, or with --equalize by a histogram of all pixels.
#pragma once

#include <functional>
#include <vector>

#include "color/colorizer.hpp"
#include "color/palette.hpp"
#include "comm/world.hpp"
#include "job/image/render_job.hpp"

namespace tessera::post {

/// Collective: counts all coloured values. Only the result on the gather rank is used.
using CountSteps = std::function<color::StepCounts(color::ValueRange)>;

/// Without --equalize.
color::Phase phase_of(const job::Coloring& job);

/// With --equalize, phases for a table from the least value that was counted on.
std::vector<double> equal_phases(const job::Coloring& job, const color::StepCounts& counts);

/// How values become colours, wherever in the palette they begin.
struct ColorRule {
  color::Palette palette;
  color::ValueRange range;
  std::vector<double> phases;  ///< of --equalize, for an offset of 0; empty without it

  /// With the offset of `coloring`, whose other options are those of the rule.
  color::Colorizer colorizer(const job::Coloring& coloring) const;
};

/// Collective. With --equalize, gives every colour of the palette the same number of pixels. A rank
/// that is not `readable` colours nothing.
ColorRule make_color_rule(comm::World& world, const job::Coloring& job,
                          const color::Palette& palette, std::uint64_t iterations, bool readable,
                          const CountSteps& count_steps);

/// Collective: the colours of that rule.
color::Colorizer make_colorizer(comm::World& world, const job::Coloring& job,
                                const color::Palette& palette, std::uint64_t iterations,
                                bool readable, const CountSteps& count_steps);

}  // namespace tessera::post
