// The preview: all ranks sample the image coarsely, and the gather rank predicts the cost of each
// tile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "job/image/render_job.hpp"
#include "plan/preview.hpp"
#include "plan/tile_grid.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// What is known of the counts of some points.
struct PointCounts {
  std::uint64_t points = 0;
  std::uint64_t iterations = 0;  ///< sum of their counts; saturated
  std::uint64_t executed = 0;    ///< steps that were executed for them
};

/// What the samples say, on the gather rank; empty elsewhere.
struct Previewed {
  std::vector<float> costs;  ///< of every tile, predicted, in orbit steps
  PointCounts samples;       ///< none of an image so small that they lie beside it
  plan::Preview preview;
  std::vector<std::uint64_t> executed;  ///< in each cell of the preview
};

/// Collective. `done`, used on the gather rank only: true for tiles that need no computing, whose
/// costs are then undefined; empty if all tiles need it. The reports of the threads are merged into
/// `threads`.
Previewed preview_costs(comm::World& world, binding::Lanes& lanes, const job::ImageSpec& image,
                        const plan::TileGrid& tiles, const std::vector<bool>& done,
                        const farm::FarmLimits& limits, bool quiet,
                        std::vector<report::ThreadReport>& threads);

/// Collective. For a tile that was open: makes it smaller where the cores would take long for one,
/// which a preview of the whole image tells. Returns that preview, or nothing if there was no need
/// for it.
std::optional<Previewed> shrink_slow_tile(comm::World& world, binding::Lanes& lanes,
                                          job::RenderJob& job, const farm::FarmLimits& limits,
                                          std::vector<report::ThreadReport>& threads);

/// Collective. For a deep image, if a GPU joins the cores of each rank: predicts the cost, and
/// leaves the image to the GPUs if that is dear for the cores and the GPUs have fast f64. Returns
/// the preview, or nothing if there was no need for it.
std::optional<Previewed> leave_to_gpus(comm::World& world, binding::Lanes& lanes,
                                       const job::RenderJob& job, const farm::FarmLimits& limits,
                                       std::vector<report::ThreadReport>& threads);
/// The costs of the same image with other tiles, each of which is some whole ones of before.
std::vector<float> joined_costs(const std::vector<float>& costs, const plan::TileGrid& before,
                                const plan::TileGrid& tiles);

/// Says so if the points, `what` ("sampled point"), have one colour and no number of them was
/// saturated, with what to try; else "". `limit`: the iterations of the image.
std::string one_color(const PointCounts& counts, std::uint64_t limit, std::string_view what);

}  // namespace tessera::render
