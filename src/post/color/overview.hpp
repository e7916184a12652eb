// A small picture of a whole image, for reports and terminals.
#pragma once

#include <cstdint>
#include <string>

#include "base/geometry.hpp"
#include "comm/world.hpp"
#include "job/image/color_job.hpp"

namespace tessera::post {

/// Sides of the picture of a page.
inline constexpr base::ImageSize kOverviewPx{1280, 960};

/// Collective: the picture of a page about the image `file`, in the colours of `job`.
std::string overview_of(comm::World& world, const job::RenderJob& job, const std::string& file);

/// Collective: colours all of `input`, averaged to at most these pixels a side. `job` has the
/// colours; its input, output and scale are set here. Returns the PNG file on the gather rank, else
/// "".
std::string overview_png(comm::World& world, const std::string& input, job::ColorJob job,
                         const base::ImageSize& max_px);

}  // namespace tessera::post
